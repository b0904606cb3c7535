/**
 * Which skills the files of a package are: one at its root, or one a folder below it. Strict about name and
 * description, because what is installed gets a folder of that name.
 */
import * as Effect from "effect/Effect"
import * as SecretShape from "../../author/SecretShape.ts"
import { descriptionProblems, nameProblems } from "../../author/SkillValidation.ts"
import { compare } from "../../discovery/CodePointOrder.ts"
import { parse } from "../../frontmatter/Frontmatter.ts"
import * as SkillManifest from "../../manifest/SkillManifest.ts"
import * as InstallMark from "../InstallMark.ts"
import { type InstallRefused, refuse } from "../InstallRefused.ts"
import type { PackageFile } from "./PackageFile.ts"
import * as SkillDigest from "./SkillDigest.ts"

export interface PackagedSkill {
  readonly name: string
  readonly description: string
  /** Paths below the skill's own folder, sorted. */
  readonly files: ReadonlyArray<PackageFile>
  readonly digest: string
  /** What a person should know before trusting it, one line each. */
  readonly warnings: ReadonlyArray<string>
}

/** Paths of the files that are meant to be run, among the paths of a skill. */
export const scriptsOf = (
  files: Iterable<{ readonly path: string; readonly executable: boolean }>
): ReadonlyArray<string> =>
  [...files]
    .filter(
      ({ executable, path }) =>
        executable || path.startsWith("scripts/") || /\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$/i.test(path)
    )
    .map(({ path }) => path)

const decoder = new TextDecoder("utf-8", { fatal: true })

const skill = Effect.fnUntraced(function* (folder: string, files: ReadonlyArray<PackageFile>) {
  const file = files.find(({ path }) => path === "SKILL.md") as PackageFile
  const where = folder === "" ? "SKILL.md" : `${folder}/SKILL.md`
  const invalid = (message: string) => refuse("invalid_skill", `${where}: ${message}`)
  const text = yield* Effect.try({
    try: () => decoder.decode(file.bytes),
    catch: () => invalid("it is not UTF-8")
  })
  const frontmatter = yield* parse(text).pipe(
    Effect.mapError(({ line, message }) => invalid(`line ${line}: ${message}`))
  )
  const manifest = yield* SkillManifest.decode(frontmatter, folder).pipe(
    Effect.mapError(({ message }) => invalid(message))
  )
  const { description, name } = manifest
  const tools = frontmatter.data.tool_names
  const problems = [
    ...nameProblems(name),
    ...descriptionProblems(description),
    ...(tools === undefined || (Array.isArray(tools) && tools.every((one) => typeof one === "string"))
      ? []
      : ["tool_names is no list of texts"])
  ]
  if (problems.length > 0) return yield* invalid(problems.join("; "))
  const sorted = [...files].sort((left, right) => compare(left.path, right.path))
  return {
    name,
    description,
    files: sorted,
    digest: yield* SkillDigest.ofFiles(sorted),
    warnings: SecretShape.find(text).map(
      ({ line, masked }) => `${where}: line ${line}: this looks like a secret: ${masked}`
    )
  } satisfies PackagedSkill
})

/** Fails with `no_skill` and `invalid_skill`. A mark inside the package is not taken over. */
export const skillsIn = Effect.fn("SkillPackage.skillsIn")(function* (
  files: ReadonlyArray<PackageFile>,
  /** What a skill at the root is called when its file does not say. */
  fallbackName: string
): Effect.fn.Return<ReadonlyArray<PackagedSkill>, InstallRefused> {
  const content = files.filter(({ path }) => path.split("/").at(-1)?.toLowerCase() !== InstallMark.fileName)
  if (content.some(({ path }) => path === "SKILL.md")) return [yield* skill(fallbackName, content)]
  const folders = content.flatMap(({ path }) => /^([^/]+)\/SKILL\.md$/.exec(path)?.[1] ?? [])
  if (folders.length === 0) {
    const deeper = content.find(({ path }) => path.endsWith("/SKILL.md"))?.path
    const hint = deeper === undefined ? "" : `; there is one at ${deeper}`
    return yield* refuse("no_skill", `there is no SKILL.md at the top or one folder below it${hint}`)
  }
  const found = yield* Effect.forEach(folders.sort(compare), (folder) => {
    const inside = content.filter(({ path }) => path.startsWith(`${folder}/`))
    return skill(
      folder,
      inside.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }))
    )
  })
  const names = found.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined
    ? found
    : yield* refuse("invalid_skill", `two skills of the package are called "${twice}"`)
})
