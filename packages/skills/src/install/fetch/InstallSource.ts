/**
 * Where a package comes from, as it is typed and as it is kept in the lock file. Pure; fetching is `SkillFetch`.
 */
import * as Result from "effect/Result"
import { type InstallRefused, refuse } from "../InstallRefused.ts"

export type InstallSource =
  /** A folder or a zip on this machine; `path` is absolute once resolved. */
  | { readonly _tag: "Local"; readonly path: string }
  | { readonly _tag: "Url"; readonly url: string }
  | {
      readonly _tag: "GitHub"
      readonly owner: string
      readonly repo: string
      /** Below the repository, without slashes around it; `""`: its top. */
      readonly path: string
      /** A branch, tag or commit; `""`: the repository's default branch. */
      readonly ref: string
    }

const part = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const refPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/
const isPath = (path: string): boolean =>
  path === "" || path.split("/").every((one) => /^[^\\*?:\p{Cc}]+$/u.test(one) && one !== "." && one !== "..")

const bad = (message: string) => Result.fail(refuse("bad_source", message))

const gitHub = (
  given: string,
  owner = "",
  repo = "",
  path = "",
  ref = ""
): Result.Result<InstallSource, InstallRefused> => {
  const name = repo.replace(/\.git$/, "")
  const below = path.replace(/^\/+|\/+$/g, "")
  if (!part.test(owner) || !part.test(name) || !isPath(below) || (ref !== "" && !refPattern.test(ref)))
    return bad(`"${given}" is not github:OWNER/REPO[/PATH][@REF]`)
  return Result.succeed({ _tag: "GitHub", owner, repo: name, path: below, ref })
}

/** `github.com/OWNER/REPO` as a browser shows it, `/tree/REF/PATH` included; a REF with a slash cannot be told. */
const gitHubPage = (given: string, url: URL): Result.Result<InstallSource, InstallRefused> | undefined => {
  if (url.hostname !== "github.com" || url.port !== "") return undefined
  const decoded = Result.try(() => url.pathname.split("/").slice(1).map(decodeURIComponent))
  if (Result.isFailure(decoded)) return bad(`"${given}" is no address`)
  const [owner, repo, kind, ref, ...path] = decoded.success
  if (kind === undefined || kind === "") return gitHub(given, owner, repo)
  return kind === "tree" ? gitHub(given, owner, repo, path.join("/"), ref) : undefined
}

/** Fails with `bad_source`: an empty text, another scheme than https, a malformed address. */
export const parse = (text: string): Result.Result<InstallSource, InstallRefused> => {
  const given = text.trim()
  if (given === "") return bad("the source is empty")
  if (given.startsWith("github:")) {
    const found = /^github:([^/@]+)\/([^/@]+)((?:\/[^@]*)?)(?:@(.+))?$/.exec(given)
    return found === null
      ? bad(`"${given}" is not github:OWNER/REPO[/PATH][@REF]`)
      : gitHub(given, found[1], found[2], found[3], found[4])
  }
  if (!/^[a-z][a-z0-9+.-]+:/i.test(given)) return Result.succeed({ _tag: "Local", path: given })
  if (!URL.canParse(given)) return bad(`"${given}" is no address`)
  const url = new URL(given)
  if (url.protocol !== "https:") return bad(`only https: addresses are installed from, not ${url.protocol}`)
  if (url.username !== "" || url.password !== "") return bad("an address must hold no user and password")
  return gitHubPage(given, url) ?? Result.succeed({ _tag: "Url", url: url.href })
}

/** The text that `parse` takes back. */
export const format = (source: InstallSource): string => {
  switch (source._tag) {
    case "Local":
      return source.path
    case "Url":
      return source.url
    case "GitHub": {
      const path = source.path === "" ? "" : `/${source.path}`
      return `github:${source.owner}/${source.repo}${path}${source.ref === "" ? "" : `@${source.ref}`}`
    }
  }
}
