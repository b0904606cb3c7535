/** Files by their names. What a glob means is `GlobPattern`; lines in files are `LineSearcher`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as FolderEntries from "../files/FolderEntries.ts"
import type { WalkedFile } from "./FileWalk.ts"
import * as GlobPattern from "./GlobPattern.ts"

/** Names that fit the glob, or hold the pattern where it is none; the file changed last comes first. */
export const newestFirst = Effect.fnUntraced(function* (
  pattern: string,
  ignoreCase: boolean,
  files: ReadonlyArray<WalkedFile>
) {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const wanted = fold(pattern)
  const fits = GlobPattern.isGlob(wanted)
    ? GlobPattern.compile(wanted)
    : (name: string) => name.includes(wanted)
  const hits = yield* Effect.forEach(
    files.filter(({ name }) => fits(fold(name))),
    ({ name, path }) =>
      Effect.map(Effect.option(FolderEntries.stat(path)), (info) => ({
        name,
        time: Option.match(
          Option.flatMap(info, ({ mtime }) => mtime),
          { onNone: () => 0, onSome: Number }
        )
      })),
    { concurrency: 8 }
  )
  return hits.sort((left, right) => right.time - left.time).map(({ name }) => name)
})
