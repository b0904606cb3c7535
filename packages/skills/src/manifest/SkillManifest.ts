/**
 * What a `SKILL.md` says of its skill: name, description, metadata, set-up. Decoded leniently from frontmatter of any
 * shape; what cannot be a skill is an error with its line. Pure apart from the parser (`Frontmatter`).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Frontmatter, parse } from "../frontmatter/Frontmatter.ts"
import * as SkillMetadata from "./SkillMetadata.ts"
import * as SkillName from "./SkillName.ts"

export const maxDescriptionChars = 1024

export interface SkillManifest {
  readonly name: string
  /** Whole; the prompt shows its beginning. */
  readonly description: string
  /** `disable-model-invocation`: it is for people only and in no prompt. */
  readonly hidden: boolean
  readonly metadata: SkillMetadata.SkillMetadata
  /** `tool_names`: tools that its text is about. Naming one neither makes it nor grants it. */
  readonly toolNames: ReadonlyArray<string>
  /** `allowed-tools`: told to people, gives no right. */
  readonly allowedTools: ReadonlyArray<string>
  /** The beginning of its `## Setup`, one line; empty without one. */
  readonly setup: string
  /** What was taken with a doubt, one line each. */
  readonly warnings: ReadonlyArray<string>
}

export class SkillInvalid extends Schema.TaggedError<SkillInvalid>()("SkillInvalid", {
  /** One line for people, without the path. */
  message: Schema.String
}) {}

/** Scalars as their text, a list as its items with a blank between; undefined for nothing or a map. */
const textOf = (value: unknown): string | undefined => {
  const items = Array.isArray(value) ? value : [value]
  const words = items.filter((item): item is string => typeof item === "string").map((item) => item.trim())
  return words.filter((word) => word !== "").join(" ") || undefined
}

/** Names of a list, or of a text parted by commas and blanks. */
const namesOf = (value: unknown, warn: () => void): ReadonlyArray<string> => {
  if (value === undefined || value === null) return []
  const items = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : undefined
  if (items === undefined) warn()
  const names = (items ?? []).map((item: unknown) => (typeof item === "string" ? item.trim() : ""))
  return [...new Set(names.filter((name) => name !== ""))]
}

const onlyBelowMetadata = ["requires", "always", "os", "default_enabled"]

/** @param fallbackName of the folder, or of a loose file without its ending; used when the file has no name */
export const decode = (
  { data, body, notes }: Frontmatter,
  fallbackName: string
): Effect.Effect<SkillManifest, SkillInvalid> => {
  const field = (key: string): unknown => (Object.hasOwn(data, key) ? data[key] : undefined)
  const warnings = notes.map(({ line, message }) => `line ${line}: ${message}`)
  const warn = (message: string): void => void warnings.push(message)

  const given = field("name")
  const own = SkillName.normalize(textOf(Array.isArray(given) ? given[0] : given) ?? "")
  const folder = SkillName.normalize(fallbackName)
  const name = own === "" ? folder : own
  const refusal = SkillName.refusal(name)
  if (refusal !== undefined) return invalid(refusal)
  const description = textOf(field("description"))
  if (description === undefined) return invalid(`skill "${name}" has no description`)

  if (given === "") warn(`the name is empty; the skill is called "${name}" like its folder`)
  for (const doubt of SkillName.doubts(name)) warn(doubt)
  if (name !== folder) warn(`the name "${name}" is unlike its folder "${folder}"`)
  if ([...description].length > maxDescriptionChars)
    warn(`the description is longer than ${maxDescriptionChars} characters; the prompt shows its beginning`)
  for (const key of onlyBelowMetadata)
    if (field(key) !== undefined) warn(`"${key}" has no effect here: it belongs under metadata`)

  const listed = (key: string) =>
    namesOf(field(key), () => warn(`"${key}" is no list of names and counts as empty`))
  return Effect.succeed({
    name,
    description,
    hidden: SkillMetadata.isOn(field("disable-model-invocation")),
    metadata: SkillMetadata.decode(field("metadata"), warn),
    toolNames: listed("tool_names"),
    allowedTools: listed("allowed-tools"),
    setup: setupOf(body),
    warnings
  })
}

/** Reads a whole file. */
export const read = (text: string, fallbackName: string): Effect.Effect<SkillManifest, SkillInvalid> =>
  parse(text).pipe(
    Effect.mapError(({ line, message }) => new SkillInvalid({ message: `line ${line}: ${message}` })),
    Effect.flatMap((frontmatter) => decode(frontmatter, fallbackName))
  )

const setupLines = 6
const setupChars = 300

const setupOf = (body: string): string => {
  if (!/^##\s+setup\s*$/im.test(body)) return ""
  const lines = body.split("\n")
  const start = lines.findIndex((line) => /^##\s+setup\s*$/i.test(line))
  if (start < 0) return ""
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.startsWith("## "))
  const said = rest.slice(0, end < 0 ? rest.length : end).map((line) => line.trim())
  const kept = said.filter((line) => line !== "").slice(0, setupLines)
  return [...kept.join(" ")].slice(0, setupChars).join("").trim()
}

const invalid = (message: string) => Effect.fail(new SkillInvalid({ message }))
