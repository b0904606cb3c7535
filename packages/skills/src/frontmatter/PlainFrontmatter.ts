/**
 * Frontmatter as it is usually written, read without the YAML parser: `key: value`, lists of words, a folded or
 * literal text, and maps below `metadata`. The parser takes a millisecond a file and two modules; this takes neither.
 *
 * Pure. Whatever is not certainly this simple is left to `Frontmatter`; a property test holds the two equal.
 */
import * as PlainScalar from "./PlainScalar.ts"

interface Line {
  readonly indent: number
  /** Without the blanks around it; never empty. */
  readonly text: string
}

const entry = /^([A-Za-z][A-Za-z0-9_.-]{0,63}):(?: +(.*))?$/
/** Words that YAML 1.1 or 1.2 takes for something else than a text. */
const noKey = /^(?:null|true|false)$/i

const linesOf = (block: string): ReadonlyArray<Line> | undefined => {
  const lines: Array<Line> = []
  for (const raw of block.split("\n")) {
    const trimmed = raw.replace(/(?<![ \t])[ \t]+$/, "")
    const indent = trimmed.search(/[^ ]/)
    if (indent < 0 || trimmed[indent] === "\t") return undefined
    lines.push({ indent, text: trimmed.slice(indent) })
  }
  return lines
}

interface Read {
  readonly value: unknown
  /** The first line that is not part of it. */
  readonly next: number
}

/** `- word` lines of one indent. */
const list = (lines: ReadonlyArray<Line>, from: number, typed: boolean): Read | undefined => {
  const { indent } = lines[from] as Line
  const items: Array<string> = []
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] as Line
    if (line.indent < indent || (line.indent === indent && !line.text.startsWith("-"))) break
    const item = /^- +(.+)$/.exec(line.text)?.[1]
    const value = line.indent === indent && item !== undefined ? PlainScalar.item(item, typed) : undefined
    if (value === undefined) return undefined
    items.push(value)
  }
  return { value: items, next: at }
}

/** The lines of a `>`, `>-`, `|` or `|-` text, all of one indent. */
const text = (lines: ReadonlyArray<Line>, from: number, parent: number, style: string): Read | undefined => {
  const indent = lines[from]?.indent ?? 0
  if (indent <= parent) return undefined
  const said: Array<string> = []
  let at = from
  for (; at < lines.length && (lines[at] as Line).indent > parent; at++) {
    const line = lines[at] as Line
    if (line.indent !== indent || !PlainScalar.isPrintable(line.text)) return undefined
    said.push(line.text)
  }
  return {
    value: said.join(style.startsWith(">") ? " " : "\n") + (style.endsWith("-") ? "" : "\n"),
    next: at
  }
}

const map = (lines: ReadonlyArray<Line>, from: number, typed: boolean): Read | undefined => {
  const { indent } = lines[from] as Line
  const values = new Map<string, unknown>()
  let at = from
  while (at < lines.length && (lines[at] as Line).indent >= indent) {
    const line = lines[at] as Line
    const [, key, value] = entry.exec(line.text) ?? []
    if (line.indent !== indent || key === undefined || values.has(key) || noKey.test(key)) return undefined
    const below = lines[at + 1]
    let read: Read | undefined
    if (value !== undefined && /^[>|]-?$/.test(value)) read = text(lines, at + 1, indent, value)
    else if (value !== undefined)
      read = { value: PlainScalar.value(value, typed || key === "metadata"), next: at + 1 }
    else if (below?.text.startsWith("-") && below.indent >= indent)
      read = list(lines, at + 1, typed || key === "metadata")
    else if (below !== undefined && below.indent > indent && (typed || key === "metadata"))
      read = map(lines, at + 1, true)
    if (read?.value === undefined) return undefined
    values.set(key, read.value)
    at = read.next
  }
  return { value: Object.fromEntries(values), next: at }
}

/** The values, or undefined when the block is not that simple. A null value never comes back. */
export const parse = (block: string): Readonly<Record<string, unknown>> | undefined => {
  // A blank at the end of a line of text is part of it only where the parser says so.
  const lines = /[>|]-?[ \t]*$/m.test(block) && /[ \t]$/m.test(block) ? undefined : linesOf(block)
  if (lines === undefined || lines[0]?.indent !== 0) return undefined
  const read = map(lines, 0, false)
  return read === undefined || read.next < lines.length
    ? undefined
    : (read.value as Readonly<Record<string, unknown>>)
}
