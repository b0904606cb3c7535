/**
 * Texts that authors write without quotes though YAML takes their signs for its own: `Fixes issue #42`, `*.md files`,
 * `{x} templates`, `"Quoted" then more`, `@x`, `- x`. What stands there is kept whole, and a note says where.
 *
 * Each value of the first level is read alone; one that the parser refuses, or of which it would leave out something,
 * is put in quotes before the whole block is read: the items of a list or map one by one (`UnquotedItems`), and of
 * `metadata` only they. A value below which a requirement could stand is not looked at: guessing there could load a
 * skill without its gate (`FrontmatterRepair`).
 */
import type * as Yaml from "yaml"
import { holdsGate } from "./FrontmatterRepair.ts"
import * as TextFault from "./TextFault.ts"
import * as UnquotedItems from "./UnquotedItems.ts"

export interface Mended {
  /** From 1, in the lines given. */
  readonly line: number
  readonly message: string
  /** YAML reads the block all the same, but otherwise than it was meant. */
  readonly readable: boolean
}

interface Entry {
  readonly key: string
  /** Index of its first line, and of the first that is not its own. */
  readonly from: number
  readonly to: number
  /** As it stands behind the key, its lines joined by one blank. */
  readonly written: string
}

const start = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?:[ \t]+(\S.*))?[ \t]*$/
/** Fields of one text each. Of others a comment is what it is, and a map may be meant. */
const words = new Set(["name", "allowed-tools", "tool_names", "disable-model-invocation", "user-invocable"])
/** Each costs a parse; a block with more values in doubt is nobody's text, and is read as it stands. */
const maxEntries = 64

const trimmed = (lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

/** Index of the first line that belongs to the next key. */
const endOf = (lines: ReadonlyArray<string>, from: number, value: string): number => {
  const own = value === "" ? /^(?:\s|$|-(?:\s|$)|#)/ : /^(?:\s|$|[\]}])/
  const next = lines.findIndex((one, at) => at > from && !own.test(one))
  return next < 0 ? lines.length : next
}

const entriesIn = (lines: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  lines.flatMap((line, from): ReadonlyArray<Entry> => {
    const [, , key, value = ""] = start.exec(line) ?? []
    if (key === undefined || TextFault.isBlockHeader(value)) return []
    const to = endOf(lines, from, value)
    const below = lines.slice(from + 1, to)
    const written = trimmed([value, ...below])
    if (written === "" || (TextFault.isHarmless(value.trim()) && trimmed(below) === "")) return []
    if (value === "" && !TextFault.texts.has(key) && below.every(UnquotedItems.isPlain)) return []
    return key !== "metadata" && below.some(holdsGate) ? [] : [{ key, from, to, written }]
  })

/** The text inside double quotes whose backslashes are no YAML, as of a path of Windows. */
const loosely = (written: string): string => {
  const inner = /^"((?:[^"\\]|\\.)*)"$/.exec(written)?.[1]
  return inner === undefined ? written : inner.replaceAll('\\"', '"')
}

const cut = (text: string): string => ([...text].length > 60 ? `${[...text].slice(0, 60).join("")}…` : text)

/** The lines of the entry with its items in quotes, where that makes YAML of them. */
const itemsOf = (
  yaml: typeof Yaml,
  own: ReadonlyArray<string>,
  block: string
): ReadonlyArray<string> | undefined => {
  const quoted = UnquotedItems.quote(yaml, own, block)
  if (quoted.every((line, at) => line === own[at])) return undefined
  const { errors } = yaml.parseDocument(quoted.join("\n"), { prettyErrors: false, logLevel: "silent" })
  // An anchor may stand in another entry; whether it does is seen in the whole block.
  return errors.length === 0 ? quoted : undefined
}

/** @param lines of the block; each stays at its number */
export const quote = (
  yaml: typeof Yaml,
  lines: ReadonlyArray<string>
): { readonly lines: ReadonlyArray<string>; readonly mended: ReadonlyArray<Mended> } => {
  const entries = entriesIn(lines)
  if (entries.length === 0 || entries.length > maxEntries) return { lines, mended: [] }
  const block = lines.join("\n")
  const next = [...lines]
  const mended: Array<Mended> = []
  for (const { from, key, to, written } of entries) {
    if (TextFault.isReference(written, block)) continue
    const own = lines.slice(from, to)
    const fault = TextFault.find(yaml, { key, written, fragment: own.join("\n"), block })
    if (fault === undefined) continue
    if (fault.kind === "comment" && words.has(key)) {
      if (key === "name")
        mended.push({
          line: from + 1,
          readable: true,
          message: `"${cut(fault.what)}" behind the name is a comment`
        })
      continue
    }
    const items = fault.kind === "sign" && !TextFault.texts.has(key) ? itemsOf(yaml, own, block) : undefined
    if (items === undefined && key === "metadata") continue
    const whole = [`${key}: ${TextFault.inQuotes(loosely(written))}`, ...own.slice(1).map(() => "")]
    const quoted = items ?? whole
    const line = from + quoted.findIndex((one, at) => one !== own[at]) + 1
    next.splice(from, to - from, ...quoted)
    const why =
      fault.kind === "sign"
        ? `the value of "${key}" holds a colon or sign and should stand in quotes`
        : `the value of "${key}" should stand in quotes: YAML leaves out "${cut(fault.what)}"`
    mended.push({ line, readable: fault.kind !== "sign", message: `${why}; it is kept whole` })
  }
  return { lines: next, mended }
}
