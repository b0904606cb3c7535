/**
 * `search_files`: lines of files by a pattern (`LineSearcher`), or files by a glob (`NameSearch`). Done here and not by
 * a program on PATH, so that the rows are the same everywhere and a pattern is only ever a pattern.
 */
import { type Tool, ToolResult } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as FileName from "../files/FileName.ts"
import * as FolderEntries from "../files/FolderEntries.ts"
import { SecretFiles, type Sieve } from "../files/SecretFiles.ts"
import * as ToolPath from "../files/ToolPath.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { because, failed } from "../tool/CallFailure.ts"
import * as FileWalk from "./FileWalk.ts"
import * as GlobPattern from "./GlobPattern.ts"
import * as LineSearch from "./LineSearch.ts"
import * as LineSearcher from "./LineSearcher.ts"
import * as NameSearch from "./NameSearch.ts"

const defaultResults = 100
const maxResults = 500
const maxFileBytes = 2 * 1024 * 1024
const limitMillis = 30_000
/** Names in a notice. */
const maxListed = 5

const Input = Schema.Struct({
  pattern: Schema.String.annotate({
    description:
      "What to look for: a regular expression, or with target files a glob; a bare word is contained."
  }),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "Folder or file; the workspace if absent." })
  ),
  target: Schema.optionalKey(
    Schema.Literals(["content", "files"]).annotate({
      description: "Look in files (default) or at their names."
    })
  ),
  glob: Schema.optionalKey(
    Schema.String.annotate({ description: "Only files that fit, such as *.ts or src/**/*.md." })
  ),
  output_mode: Schema.optionalKey(
    Schema.Literals(["content", "files", "count"]).annotate({
      description: "Matching lines (default), names of files, or lines per file."
    })
  ),
  ignore_case: Schema.optionalKey(Schema.Boolean),
  no_ignore: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "True: also in node_modules, dist, .git and the like, and what .gitignore leaves out."
    })
  ),
  max_results: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "Rows at most; 100 if absent, 500 at most."
    })
  )
})
type Input = typeof Input.Type

interface Found {
  readonly rows: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
  /** False: the time was up. */
  readonly complete: boolean
}

const limitNotice = (limit: number, total: number): string =>
  limit >= maxResults
    ? `${limit} result limit reached, which is the maximum of ${total} results. Narrow the pattern or the path.`
    : `${limit} result limit reached. Use max_results=${Math.min(total, maxResults)} to see more.`

const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - maxListed
  return `${names.slice(0, maxListed).map(FileName.shown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const secrets = yield* SecretFiles
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const searchLines = yield* LineSearcher.make(settings)

  /** True for a file that is worth searching and may be. */
  const isSearched = ({ name, path: file }: FileWalk.WalkedFile, isSecret: Sieve) =>
    Effect.match(FolderEntries.stat(file), {
      // It is gone, or closed: nothing of it can match.
      onFailure: () => false,
      onSuccess: (info) =>
        info.type === "File" &&
        info.size <= maxFileBytes &&
        !isSecret(typeof file === "string" ? file : name, info)
    })

  /** Where the search begins: a folder and the files of it that are looked at. */
  const scope = Effect.fnUntraced(function* (input: Input, workspace: string, isOver: () => boolean) {
    const given = ToolPath.absolute(path, input.path ?? ".", workspace, settings.home)
    const start = yield* Effect.mapError(fs.realPath(given), because(`cannot search ${given}`))
    const info = yield* Effect.mapError(fs.stat(start), because(`cannot search ${given}`))
    if (info.type === "File")
      return {
        given: path.dirname(given),
        walked: {
          files: [{ name: path.basename(start), path: start }],
          ignored: [],
          unreadable: [],
          complete: true
        } satisfies FileWalk.Walked
      }
    if (info.type !== "Directory")
      return yield* failed(`cannot search ${given}: it is no folder and no plain file`)
    const walked = yield* FileWalk.walk(start, {
      noIgnore: input.no_ignore ?? false,
      home: settings.home,
      isOver
    })
    return { given, walked }
  })

  const inContent = Effect.fnUntraced(function* (
    input: Input,
    files: ReadonlyArray<FileWalk.WalkedFile>,
    shown: (file: string) => string,
    clock: Clock.Clock,
    deadline: number
  ) {
    const pattern = LineSearch.compile(input.pattern, input.ignore_case ?? false)
    if (Result.isFailure(pattern))
      return yield* failed(`search_files: the pattern is invalid: ${pattern.failure}`)
    const isSecret = yield* secrets.sieve
    const rows: Array<string> = []
    const searched = yield* Effect.filter(files, (file) => isSearched(file, isSecret), { concurrency: 8 })
    const { complete, stuck } = yield* searchLines(
      pattern.success,
      searched.map((file) => file.path),
      Math.max(0, deadline - clock.currentTimeMillisUnsafe()),
      ({ file, matches }) => {
        const name = shown(searched[file]?.name ?? "")
        if (input.output_mode === "files") rows.push(name)
        else if (input.output_mode === "count") rows.push(`${name}:${matches.length}`)
        else for (const match of matches) rows.push(`${name}:${match.line}:${match.text}`)
      }
    )
    const notices =
      stuck === 0
        ? []
        : [
            `the pattern backtracks so much that it was given up on in ${stuck} ${stuck === 1 ? "file" : "files"}; make it simpler`
          ]
    return { rows, notices, complete } satisfies Found
  })

  const byName = Effect.fnUntraced(function* (
    { ignore_case = false, pattern }: Input,
    files: ReadonlyArray<FileWalk.WalkedFile>,
    shown: (file: string) => string
  ) {
    const names = yield* NameSearch.newestFirst(pattern, ignore_case, files)
    const notices = [`${names.length} ${names.length === 1 ? "file" : "files"} matched`]
    return { rows: names.map(shown), notices, complete: true } satisfies Found
  })

  const run = Effect.fn("SearchFilesTool.run")(function* (input: Input, { workspace }: Tool.ToolContext) {
    const clock = yield* Clock.Clock
    const deadline = clock.currentTimeMillisUnsafe() + limitMillis
    const isOver = () => clock.currentTimeMillisUnsafe() >= deadline
    const limit = input.max_results ?? defaultResults
    if (limit > maxResults)
      return yield* failed(`search_files: max_results ${limit} is over the maximum of ${maxResults}`)
    if (input.pattern === "") return yield* failed("search_files: the pattern is empty")
    const filter = input.glob === undefined ? () => true : GlobPattern.compile(input.glob)
    const { given, walked } = yield* scope(input, workspace, isOver)
    const files = walked.files.filter(({ name }) => filter(name))
    const shown = (name: string) => {
      const file = path.join(given, name)
      return FileName.shown(ToolPath.isInside(path, workspace, file) ? path.relative(workspace, file) : file)
    }
    const found: Found =
      input.target === "files"
        ? yield* byName(input, files, shown)
        : yield* inContent(input, files, shown, clock, deadline)
    const total = found.rows.length
    const notices = [...found.notices]
    if (total === 0 && input.target !== "files") notices.push("0 results")
    if (total > limit) notices.push(limitNotice(limit, total))
    if (total === 0 && walked.ignored.length > 0)
      notices.push(`not searched: ${listed(walked.ignored)}; no_ignore: true searches them too`)
    if (walked.unreadable.length > 0) notices.push(`could not be read: ${listed(walked.unreadable)}`)
    if (!found.complete || !walked.complete)
      notices.push(`stopped after ${limitMillis / 1000} s; the rows are not all there are`)
    const text = [...found.rows.slice(0, limit), ...notices.map((notice) => `[${notice}]`)].join("\n")
    return ToolResult.ok(text, { structured: { total, shown: Math.min(total, limit) } })
  })

  return BuiltinTool.make({
    name: "search_files",
    description:
      "Searches files below a folder: lines that match a regular expression (path:line:text), or with target files the files whose names match a glob, newest first.",
    input: Input,
    parallelSafe: true,
    mildest: BuiltinTool.reads,
    run: (input, call) => Effect.provideContext(run(input, call), context)
  })
})
