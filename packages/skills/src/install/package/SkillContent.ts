/**
 * A skill as fields instead of a file: written as a new `SKILL.md`, or into an old one, of which everything that was not
 * changed stays as it is. Where it is placed is `Installation` and `InstalledSkill`.
 */
import * as Effect from "effect/Effect"
import { type FrontmatterInvalid, split } from "../../frontmatter/FrontmatterFence.ts"
import type { PackageFile } from "./PackageFile.ts"

export interface SkillContent {
  readonly name: string
  readonly description: string
  /** The text below the frontmatter. */
  readonly instructions: string
  readonly tool_names?: ReadonlyArray<string>
}

export type SkillChanges = Partial<Omit<SkillContent, "name">>

/** What the mark and the lock call this origin. */
export const source = "api"

export const fileOf = (text: string): PackageFile => ({
  path: "SKILL.md",
  bytes: new TextEncoder().encode(text),
  executable: false
})

const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** JSON is YAML: whatever the values hold, they read back as they are. */
export const render = ({ description, instructions, name, tool_names }: SkillContent): string => {
  const fields = [
    `name: ${JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    ...(tool_names === undefined ? [] : [`tool_names: ${JSON.stringify(tool_names)}`])
  ]
  return `---\n${fields.join("\n")}\n---\n${ended(instructions)}`
}

/** The text with the changes in it; the very same text where they change nothing. */
export const edit = Effect.fnUntraced(function* (
  text: string,
  changes: SkillChanges
): Effect.fn.Return<string, FrontmatterInvalid> {
  const { block, body } = yield* Effect.fromResult(split(text))
  const { parseDocument } = yield* Effect.promise(() => import("yaml"))
  const document = parseDocument(block)
  let changed = false
  for (const key of ["description", "tool_names"] as const) {
    const value = changes[key]
    const before: unknown = document.toJS()?.[key]
    if (value === undefined || JSON.stringify(before) === JSON.stringify(value)) continue
    document.set(
      key,
      typeof value === "string" ? document.createNode(value) : document.createNode([...value])
    )
    changed = true
  }
  const instructions = changes.instructions === undefined ? body : ended(changes.instructions)
  if (!changed && instructions === body) return text
  const fields = changed ? document.toString({ lineWidth: 0 }) : ended(block)
  return `---\n${fields}---\n${instructions}`
})
