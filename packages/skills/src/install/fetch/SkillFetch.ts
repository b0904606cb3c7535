/** From a source to the files of its package, in memory. Nothing is placed and nothing is run. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type InstallRefused, refuse } from "../InstallRefused.ts"
import { maxBytes, type PackageFile } from "../package/PackageFile.ts"
import * as PackageFolder from "../package/PackageFolder.ts"
import * as ZipArchive from "../package/ZipArchive.ts"
import type { InstallSource } from "./InstallSource.ts"
import { SkillDownloads } from "./SkillDownloads.ts"

export interface Fetched {
  readonly files: ReadonlyArray<PackageFile>
  /** The commit of a repository; null for every other source. */
  readonly commit: string | null
  /** What a skill at the top is called when its file does not say. */
  readonly fallbackName: string
}

/** @param commit of a repository, instead of what its ref stands for now */
export const fetch = Effect.fn("SkillFetch.fetch")(function* (
  source: InstallSource,
  commit?: string
): Effect.fn.Return<Fetched, InstallRefused, SkillDownloads | FileSystem.FileSystem | Path.Path> {
  switch (source._tag) {
    case "Local":
      return yield* local(source.path)
    case "Url":
      return yield* Effect.map(archive(source.url, ""), (files) => ({
        files,
        commit: null,
        fallbackName: ""
      }))
    case "GitHub": {
      const { owner, path, ref, repo } = source
      const at = commit ?? (yield* commitOf(owner, repo, ref))
      const below = path === "" ? "*" : `*/${path}`
      const files = yield* archive(`https://codeload.github.com/${owner}/${repo}/zip/${at}`, below)
      if (files.length === 0)
        return yield* refuse("no_skill", `there is nothing at "${path}" in ${owner}/${repo}`)
      return { files, commit: at, fallbackName: path.split("/").at(-1) || repo }
    }
  }
})

const archive = (url: string, below: string) =>
  Effect.flatMap(SkillDownloads, (downloads) => downloads.get({ url })).pipe(
    Effect.flatMap((bytes) => ZipArchive.read(bytes, { below }))
  )

/** The address that answers with nothing but the commit's name. */
const commitOf = Effect.fnUntraced(function* (owner: string, repo: string, ref: string) {
  const downloads = yield* SkillDownloads
  const name = ref === "" ? "HEAD" : encodeURIComponent(ref)
  const bytes = yield* downloads.get({
    url: `https://api.github.com/repos/${owner}/${repo}/commits/${name}`,
    headers: { accept: "application/vnd.github.sha" }
  })
  const commit = new TextDecoder().decode(bytes).trim()
  return /^[0-9a-f]{40}$/.test(commit)
    ? commit
    : yield* refuse("bad_source", `${owner}/${repo} has no commit for "${ref || "HEAD"}"`)
})

const local = Effect.fnUntraced(
  function* (place: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const info = yield* fs.stat(place)
    const fallbackName = path.basename(place)
    if (info.type === "Directory")
      return { files: yield* PackageFolder.read(yield* fs.realPath(place)), commit: null, fallbackName }
    if (info.type !== "File") return yield* refuse("bad_source", `${place} is neither a folder nor a file`)
    if (info.size > BigInt(maxBytes))
      return yield* refuse("zip_too_large", `${place} has ${info.size} bytes; at most ${maxBytes}`)
    const files = yield* ZipArchive.read(yield* fs.readFile(place))
    return { files, commit: null, fallbackName: fallbackName.replace(/\.(?:zip|skill)$/i, "") }
  },
  (effect, place) =>
    Effect.catchTag(effect, "PlatformError", (cause) =>
      Effect.fail(
        refuse(
          "bad_source",
          cause.reason._tag === "NotFound"
            ? `there is no file or folder ${place}`
            : `${place} cannot be read (${cause.reason._tag})`
        )
      )
    )
)
