/**
 * Items of lists and values of maps that authors write without quotes though YAML takes their signs for its own:
 * `[*.md files, @x]`, `- *.{md,ts}`, `on: %x`. Each that is no YAML is put in quotes; the list stays one.
 *
 * No requirement is ever taken into a text, and no single value behind a key of a requirement is guessed at. An item
 * of a list there is: a program or variable of a name that nobody has keeps the gate shut.
 */
import type * as Yaml from "yaml"
import * as FlowList from "./FlowList.ts"
import { holdsGate, namesGate } from "./FrontmatterRepair.ts"
import * as TextFault from "./TextFault.ts"

interface Reader {
  readonly yaml: typeof Yaml
  /** An anchor may stand anywhere in it. */
  readonly block: string
  /** How many more items may be in doubt; each costs a parse. */
  left: number
}

const maxInDoubt = 256

/** What stands in brackets or behind a dash or key; undefined where a requirement would be guessed at. */
type Mended = string | undefined

const leaf = /^(\s*(?:- +)*)((["']?)[A-Za-z_][\w. -]*\3:(?:[ \t]+|$))?(.*)$/
const pair = /^("[^"]*"|'[^']*'|.*?):(?:\s+(.*))?$/
const bracket = /^[^"'].*[[\]{}]|^[[\]{}]/

const mendText = (reader: Reader, written: string, inBrackets: boolean): Mended => {
  const bracketed = inBrackets && bracket.test(written)
  if (written === "" || (!bracketed && TextFault.isHarmless(written))) return written
  if (reader.left-- <= 0) return undefined
  const { yaml, block } = reader
  if (TextFault.isReference(written, block)) return written
  const fault = TextFault.find(yaml, { key: "", written, fragment: `item: ${written}`, block })
  if (!bracketed && (fault === undefined || (fault.kind === "comment" && !inBrackets))) return written
  return namesGate(written) ? undefined : TextFault.inQuotes(written)
}

const mendPair = (reader: Reader, written: string): Mended => {
  const [, key, value = ""] = pair.exec(written) ?? []
  if (key === undefined) return mendText(reader, written, true)
  const name = mendText(reader, key.trim(), true)
  const mended = mend(reader, value, true)
  if (name === undefined || mended === undefined) return undefined
  if (mended !== value && holdsGate(written) && FlowList.alone(value) === undefined) return undefined
  return `${name}: ${mended}`
}

const mend = (reader: Reader, written: string, inBrackets: boolean): Mended => {
  const list = FlowList.alone(written)
  if (list === undefined) return mendText(reader, written, inBrackets)
  const items: Array<string> = []
  for (const item of list.items) {
    const mended = list.open === "[" ? mend(reader, item, true) : mendPair(reader, item)
    if (mended === undefined) return undefined
    items.push(mended)
  }
  return FlowList.join({ ...list, items })
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Lines of one value as one. What a comment says in the middle of brackets is no item. */
const joined = (lines: ReadonlyArray<string>): string => {
  const inBrackets = /^[[{]/.test(lines[0] ?? "")
  const said = lines.map((line, at) =>
    inBrackets && at < lines.length - 1 ? line.replace(/^([^"'#]*?)(?:^|\s)#.*$/, "$1") : line
  )
  return said
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
}

/** Words behind dashes or a key, which cost no parse. */
export const isPlain = (line: string): boolean => {
  const rest = leaf.exec(line)?.[4] ?? ""
  return rest.trim() === "" || TextFault.isHarmless(rest)
}

/**
 * @param lines of one key of the first level, its own included; each stays at its number
 * @param block all lines of the frontmatter
 */
export const quote = (
  yaml: typeof Yaml,
  lines: ReadonlyArray<string>,
  block: string
): ReadonlyArray<string> => {
  const reader: Reader = { yaml, block, left: maxInDoubt }
  const next = [...lines]
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const [, lead = "", key, , rest = ""] = leaf.exec(line) ?? []
    if (rest.trim() === "" || (key === undefined && lead.trim() === "" && rest.startsWith("#"))) continue
    // What is indented deeper than the key, the dash or, of a bare line, one blank before it belongs to the value.
    const column =
      key === undefined ? Math.max(lead.trimEnd().length, lead.length > 0 ? 1 : 0) - 1 : lead.length
    const over = lines.findIndex(
      (one, index) => index > at && /^\s*[^\s\]}]/.test(one) && indentOf(one) <= column
    )
    const end = over < 0 ? lines.length : over
    const below = lines.slice(at + 1, end)
    const first = at
    at = end - 1
    const written = joined([rest, ...below])
    if (TextFault.isBlockHeader(rest) || below.some(holdsGate)) continue
    if (holdsGate(line) && FlowList.alone(written) === undefined) continue
    const mended = mend(reader, written, false)
    if (mended === undefined || mended === written) continue
    next[first] = `${line.slice(0, line.length - rest.length)}${mended}`
    for (let index = first + 1; index < end; index++) next[index] = ""
  }
  return next
}
