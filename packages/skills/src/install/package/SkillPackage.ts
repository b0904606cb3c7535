/**
 * Which skills the files of a package are: one at its root, or those a folder below it. Strict about names, because what
 * is installed gets a folder of that name; what loading takes with a doubt is taken with a warning.
 *
 * One that cannot be taken costs none of the others.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { nameAdvice } from "../../author/NameRules.ts"
import * as SecretShape from "../../author/SecretShape.ts"
import { descriptionProblems } from "../../author/SkillValidation.ts"
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

/** A skill that is not installed, and why. */
export interface LeftOutSkill {
  /** Its name, or its folder in the package where it has none. */
  readonly name: string
  readonly refusal: InstallRefused
}

export interface FoundSkills {
  /** At least one. */
  readonly skills: ReadonlyArray<PackagedSkill>
  readonly leftOut: ReadonlyArray<LeftOutSkill>
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
  const { name: given, tool_names: tools } = frontmatter.data
  const problems = [
    // Without a name of its own it is called like its folder.
    ...nameAdvice(given === undefined || given === null || given === "" ? name : given),
    ...(tools === undefined || (Array.isArray(tools) && tools.every((one) => typeof one === "string"))
      ? []
      : ["tool_names is no list of texts"])
  ]
  if (problems.length > 0) return yield* invalid(problems.join("; "))
  // Of the folder it came in nothing is left but its name.
  const { warnings } = yield* Effect.orDie(SkillManifest.decode(frontmatter, name))
  const doubts = [
    ...(given === undefined || given === null ? [`the name is missing; the skill is called "${name}"`] : []),
    ...warnings
  ]
  const sorted = [...files].sort((left, right) => compare(left.path, right.path))
  return {
    name,
    description,
    files: sorted,
    digest: yield* SkillDigest.ofFiles(sorted),
    warnings: [
      ...doubts,
      ...SecretShape.find(text).map(({ line, masked }) => `line ${line}: this looks like a secret: ${masked}`)
    ].map((message) => `${where}: ${message}`)
  } satisfies PackagedSkill
})

/** Fails with `no_skill` and `invalid_skill`: there is none that can be taken. A mark inside is not taken over. */
export const skillsIn = Effect.fn("SkillPackage.skillsIn")(function* (
  files: ReadonlyArray<PackageFile>,
  /** What a skill at the root is called when its file does not say. */
  fallbackName: string
): Effect.fn.Return<FoundSkills, InstallRefused> {
  const content = files.filter(({ path }) => path.split("/").at(-1)?.toLowerCase() !== InstallMark.fileName)
  if (content.some(({ path }) => path === "SKILL.md"))
    return { skills: [yield* skill(fallbackName, content)], leftOut: [] }
  const folders = content.flatMap(({ path }) => /^([^/]+)\/SKILL\.md$/.exec(path)?.[1] ?? [])
  if (folders.length === 0) {
    const deeper = content.find(({ path }) => path.endsWith("/SKILL.md"))?.path
    const hint = deeper === undefined ? "" : `; there is one at ${deeper}`
    return yield* refuse("no_skill", `there is no SKILL.md at the top or one folder below it${hint}`)
  }
  const skills: Array<PackagedSkill> = []
  const leftOut: Array<LeftOutSkill> = []
  for (const folder of folders.sort(compare)) {
    const inside = content.filter(({ path }) => path.startsWith(`${folder}/`))
    const read = yield* Effect.result(
      skill(
        folder,
        inside.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }))
      )
    )
    if (Result.isFailure(read)) leftOut.push({ name: folder, refusal: read.failure })
    else if (skills.some(({ name }) => name === read.success.name)) {
      const message = `two skills of the package are called "${read.success.name}"; the one in ${folder} is left out`
      leftOut.push({ name: folder, refusal: refuse("invalid_skill", message) })
    } else skills.push(read.success)
  }
  return skills.length > 0 ? { skills, leftOut } : yield* joined(leftOut)
})

/** One refusal for all of them. */
export const joined = (leftOut: ReadonlyArray<LeftOutSkill>): InstallRefused => {
  const [first] = leftOut
  const messages = leftOut.map(({ refusal }) => refusal.message)
  return refuse(first?.refusal.code ?? "no_skill", messages.join("; "))
}

/** What is handed over to be placed as it is said, not fetched from others: all of it, and to the letter. */
export const strictly = (found: FoundSkills): Result.Result<ReadonlyArray<PackagedSkill>, InstallRefused> => {
  const problems = found.skills.flatMap(({ description, name }) =>
    descriptionProblems(description).map((problem) => `${name}: ${problem}`)
  )
  if (found.leftOut.length > 0) return Result.fail(joined(found.leftOut))
  return problems.length > 0
    ? Result.fail(refuse("invalid_skill", problems.join("; ")))
    : Result.succeed(found.skills)
}
