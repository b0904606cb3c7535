/**
 * The strict reading of a skill, by the open Agent Skills specification: every problem, each with its line. Loading is
 * lenient and lives in `SkillManifest`; both read frontmatter with the one parser.
 *
 * Pure apart from `read`, which finds the file.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { parse } from "../frontmatter/Frontmatter.ts"
import { isNode } from "../frontmatter/MetadataLookup.ts"
import { maxDescriptionChars } from "../manifest/SkillManifest.ts"
import { nameProblems } from "./NameRules.ts"
import * as SecretShape from "./SecretShape.ts"

export const SkillProblem = Schema.Struct({
  severity: Schema.Literals(["error", "warning"]),
  /** In the file, from 1; null where there is no file or no line to name. */
  line: Schema.NullOr(Schema.Number),
  message: Schema.String
})
export type SkillProblem = typeof SkillProblem.Type

export const SkillVerdict = Schema.Struct({
  /** The file that was read, or what was asked for where there is none. */
  path: Schema.String,
  /** No problem is an error. */
  valid: Schema.Boolean,
  /** By line. */
  problems: Schema.Array(SkillProblem)
})
export type SkillVerdict = typeof SkillVerdict.Type

const maxCompatibilityChars = 500
const fields = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]

const size = (text: string): number => [...text].length
const error = (message: string, line: number | null = null): SkillProblem => ({
  severity: "error",
  line,
  message
})
const warning = (message: string, line: number | null = null): SkillProblem => ({
  severity: "warning",
  line,
  message
})

/** What is wrong with a description. `value`: as it was parsed. */
export const descriptionProblems = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "string" || value.trim() === "") return ["the description is empty or no text"]
  return size(value) > maxDescriptionChars
    ? [`the description has ${size(value)} characters; at most ${maxDescriptionChars} are allowed`]
    : []
}

const compatibilityProblems = (value: unknown): ReadonlyArray<string> => {
  if (value === null) return []
  if (typeof value !== "string") return ["compatibility must be a text"]
  return size(value) > maxCompatibilityChars
    ? [`compatibility has ${size(value)} characters; at most ${maxCompatibilityChars} are allowed`]
    : []
}

/** Where the key of the first level stands, from 1; the opening fence where it cannot be seen. */
const lineOf = (lines: ReadonlyArray<string>, key: string): number => {
  const at = lines.findIndex(
    (line, index) => index > 0 && new RegExp(`^(["']?)${RegExp.escape(key)}\\1\\s*:`).test(line)
  )
  return at < 0 ? 1 : at + 1
}

/**
 * All problems of the text of a `SKILL.md`.
 *
 * @param folder name of the folder it lies in
 */
export const check = Effect.fn("SkillValidation.check")(function* (text: string, folder: string) {
  const lines = text.split(/\r\n|\r|\n/)
  const bom = text.startsWith("\uFEFF")
    ? [error("the file begins with a byte-order mark; the first characters must be ---", 1)]
    : []
  const secrets = SecretShape.find(text).map(({ line, masked }) =>
    warning(`this looks like a secret: ${masked}; a skill must hold none`, line)
  )
  const parsed = yield* Effect.result(parse(text))
  if (parsed._tag === "Failure")
    return sorted([...bom, error(parsed.failure.message, parsed.failure.line), ...secrets])
  const { data, notes } = parsed.success
  const at = (key: string): number => lineOf(lines, key)
  const has = (key: string): boolean => Object.hasOwn(data, key)
  const on = (key: string, messages: ReadonlyArray<string>) =>
    messages.map((message) => error(message, at(key)))

  const language = /^---\s*\S/.test((lines[0] ?? "").replace(/^\uFEFF/, ""))
    ? [error("the first line must be exactly ---", 1)]
    : []
  const unexpected = Object.keys(data)
    .filter((key) => !fields.includes(key))
    .map((key) => error(`unexpected field "${key}"; only ${fields.join(", ")} are allowed`, at(key)))
  const name = has("name") ? on("name", nameProblems(data.name)) : [error("the name is missing", 1)]
  const description = has("description")
    ? on("description", descriptionProblems(data.description))
    : [error("the description is missing", 1)]
  const compatibility = has("compatibility")
    ? on("compatibility", compatibilityProblems(data.compatibility))
    : []
  return sorted([
    ...bom,
    ...language,
    ...notes.map(({ line, message, readable }) => (readable ? warning : error)(message, line)),
    ...unexpected,
    ...name,
    ...placeProblems(data.name, folder).map((problem) => ({ ...problem, line: at("name") })),
    ...description,
    ...compatibility,
    ...(has("allowed-tools") ? toolProblems(data["allowed-tools"], at("allowed-tools")) : []),
    ...(has("metadata") ? metadataProblems(data.metadata, at("metadata")) : []),
    ...(has("license") && typeof data.license !== "string" && data.license !== null
      ? [warning("license should be a text", at("license"))]
      : []),
    ...secrets
  ])
})

/** The name against its folder, and against the file systems of the world. */
const placeProblems = (value: unknown, folder: string): ReadonlyArray<SkillProblem> => {
  if (typeof value !== "string" || value.trim() === "") return []
  const name = value.trim().normalize("NFKC")
  return [
    ...(name === folder.normalize("NFKC")
      ? []
      : [error(`the name "${name}" must be that of its folder, "${folder}"`)]),
    ...(/[^\x20-\x7E]/.test(name)
      ? [warning(`the name "${name}" is not ASCII; an ASCII name is safer in other programs`)]
      : [])
  ]
}

const toolProblems = (value: unknown, line: number): ReadonlyArray<SkillProblem> => {
  if (typeof value === "string" || value === null) return []
  if (!Array.isArray(value)) return [error("allowed-tools must be a text or a list of texts", line)]
  return value.every((item) => typeof item === "string" || item === null)
    ? [warning("allowed-tools is a list; the specification wants one text with blanks between", line)]
    : [error("allowed-tools must hold only texts", line)]
}

const metadataProblems = (value: unknown, line: number): ReadonlyArray<SkillProblem> => {
  if (value === null) return []
  if (!isNode(value)) return [warning("metadata should be a map of keys and texts", line)]
  const others = Object.keys(value).filter((key) => typeof value[key] !== "string")
  return others.length === 0
    ? []
    : [warning(`metadata: the specification wants texts as values, not those of ${others.join(", ")}`, line)]
}

const sorted = (problems: ReadonlyArray<SkillProblem>): ReadonlyArray<SkillProblem> =>
  [...problems].sort((left, right) => (left.line ?? 0) - (right.line ?? 0))

const verdict = (path: string, problems: ReadonlyArray<SkillProblem>): SkillVerdict => ({
  path,
  valid: problems.every(({ severity }) => severity !== "error"),
  problems
})

const fileName = /^skill\.md$/i

/** Judges a folder or its `SKILL.md`. What cannot be read is a problem of the verdict. */
export const read = Effect.fn("SkillValidation.read")(
  function* (given: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const place = path.resolve(given)
    const { type } = yield* fs.stat(place)
    const isFile = type === "File"
    if (isFile && !fileName.test(path.basename(place)))
      return verdict(place, [error("this is neither a folder nor a SKILL.md")])
    const folder = isFile ? path.dirname(place) : place
    const names = isFile ? [path.basename(place)] : yield* fs.readDirectory(folder)
    const name = ["SKILL.md", "skill.md"].find((one) => names.includes(one))
    if (name === undefined) return verdict(place, [error("there is no SKILL.md in this folder")])
    const file = path.join(folder, name)
    const { type: kind } = yield* fs.stat(file)
    if (kind !== "File") return verdict(file, [error("this is no regular file")])
    const text = yield* decoded(yield* fs.readFile(file))
    if (text === undefined) return verdict(file, [error("the file is not UTF-8")])
    const lower =
      name === "SKILL.md" ? [] : [warning("the file is called skill.md; loading finds only SKILL.md")]
    return verdict(file, [...lower, ...(yield* check(text, path.basename(folder)))])
  },
  (effect, given) =>
    Effect.catchIf(effect, PlatformError.isPlatformError, (cause) =>
      Effect.succeed(
        verdict(given, [
          error(
            cause.reason._tag === "NotFound"
              ? "there is no such file or folder"
              : `it cannot be read (${cause.reason._tag})`
          )
        ])
      )
    )
)

/** Keeps a byte-order mark, which is a problem here; undefined when the bytes are no UTF-8. */
const decoded = (bytes: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => undefined
  }).pipe(Effect.catch(() => Effect.succeed(undefined)))
