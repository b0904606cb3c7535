/**
 * The user's switches as a value: what `skills_config.json` says, and what it should say after a scan. Pure; the file
 * itself is `SkillSwitches`.
 */
import * as Result from "effect/Result"
import { sortBy } from "../discovery/CodePointOrder.ts"
import { isNode } from "../frontmatter/MetadataLookup.ts"
import type { SkillSource } from "../manifest/Skill.ts"
import { isOn } from "../manifest/SkillMetadata.ts"
import * as SkillName from "../manifest/SkillName.ts"

/** One entry; fields that Cow does not know stay as they are. */
export interface Switch {
  readonly name: string
  readonly description: string
  readonly source: string
  readonly enabled: boolean
  readonly category: string
  readonly display_name?: string
  readonly [other: string]: unknown
}

export type SwitchTable = ReadonlyMap<string, Switch>

export interface Decoded {
  readonly table: SwitchTable
  /** Keys whose entry is no switch and counts as absent. */
  readonly refused: ReadonlyArray<string>
}

/** Fails when the text is no JSON object. */
export const decode = (text: string): Result.Result<Decoded, { readonly message: string }> =>
  Result.try({
    try: () => JSON.parse(text.replace(/^\uFEFF/, "")) as unknown,
    catch: () => ({ message: "the file is no JSON" })
  }).pipe(
    Result.flatMap((value) =>
      isNode(value) ? Result.succeed(value) : Result.fail({ message: "the file holds no JSON object" })
    ),
    Result.map((entries) => {
      const table = new Map<string, Switch>()
      const refused: Array<string> = []
      for (const [key, value] of Object.entries(entries)) {
        const name = SkillName.normalize(key)
        const entry = name === "" || SkillName.refusal(name) !== undefined ? undefined : entryOf(name, value)
        if (entry === undefined) refused.push(key)
        else table.set(name, entry)
      }
      return { table, refused }
    })
  )

const entryOf = (name: string, value: unknown): Switch | undefined => {
  if (!isNode(value)) return undefined
  const { enabled, description, source, category } = value
  if (typeof enabled !== "boolean" && typeof enabled !== "string") return undefined
  const text = (field: unknown, otherwise: string) => (typeof field === "string" ? field : otherwise)
  return {
    ...value,
    name,
    description: text(description, ""),
    source: text(source, ""),
    enabled: isOn(enabled),
    category: text(category, "skill")
  }
}

export const encode = (table: SwitchTable): string =>
  `${JSON.stringify(Object.fromEntries(sortBy(table, ([name]) => name)), null, 2)}\n`

export interface Scanned {
  readonly name: string
  readonly description: string
  readonly source: SkillSource
  readonly defaultEnabled: boolean
}

/**
 * The table after a scan: new skills enter with their default, known ones keep the user's choice and take description
 * and source from the scan, and entries of sources that were read whole and no longer hold them leave.
 *
 * @param wholly sources of which nothing could have been overlooked
 */
export const reconcile = (
  table: SwitchTable,
  scanned: Iterable<Scanned>,
  wholly: ReadonlySet<string>
): SwitchTable => {
  const next = new Map<string, Switch>()
  for (const { name, description, source, defaultEnabled } of scanned) {
    const head = { name, description, source }
    const before = table.get(name) ?? { enabled: defaultEnabled, category: "skill" }
    next.set(name, { ...head, ...before, ...head })
  }
  for (const [name, entry] of table) if (!next.has(name) && !wholly.has(entry.source)) next.set(name, entry)
  return next
}
