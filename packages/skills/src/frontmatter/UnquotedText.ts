/**
 * Texts that authors write without quotes though YAML takes their signs for its own: `Fixes issue #42`, `*.md files`,
 * `{x} templates`, `"Quoted" then more`, `@x`, `- x`. What stands there is kept whole, and a note says where.
 *
 * Each value of the first level is read alone; one that the parser refuses, or of which it would leave out something,
 * is put in quotes before the whole block is read. `metadata` is not looked at, nor a value below which a requirement
 * could stand: guessing there could load a skill without its gate (`FrontmatterRepair`).
 */
import type * as Yaml from "yaml"
import { holdsGate } from "./FrontmatterRepair.ts"

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
/** What YAML reads as the text it is, for certain: most values of most files. */
const harmless = /^[^\s!&*?|>@`%#"'{}[\],:-](?:[^:#\t]|:(?![\s]|$)|(?<! )#)*$/
/** A lone `>` or `|` with its signs: a block of lines follows. */
const blockHeader = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?(?:[ \t]+#.*)?$/
/** Fields of one text each. Of others a comment is what it is, and a map may be meant. */
const words = new Set(["name", "allowed-tools", "tool_names", "disable-model-invocation", "user-invocable"])
const texts = new Set(["name", "description", "license", "compatibility"])
/** Each costs a parse; a block with more values in doubt is nobody's text, and is read as it stands. */
const maxEntries = 64

const trimmed = (lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const entriesIn = (lines: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  lines.flatMap((line, from): ReadonlyArray<Entry> => {
    const [, , key, value = ""] = start.exec(line) ?? []
    if (key === undefined || key === "metadata" || blockHeader.test(value.trim())) return []
    // A value below its key is a text only where nothing else is meant.
    if (value === "" && !texts.has(key)) return []
    const next = lines.findIndex((one, at) => at > from && /^\S/.test(one))
    const to = next < 0 ? lines.length : next
    const below = lines.slice(from + 1, to)
    const written = trimmed([value, ...below])
    if (written === "" || (harmless.test(value.trim()) && trimmed(below) === "")) return []
    return below.some(holdsGate) ? [] : [{ key, from, to, written }]
  })

/** The text inside double quotes whose backslashes are no YAML, as of a path of Windows. */
const loosely = (written: string): string => {
  const inner = /^"((?:[^"\\]|\\.)*)"$/.exec(written)?.[1]
  return inner === undefined ? written : inner.replaceAll('\\"', '"')
}

/** The word of an anchor or alias at the start, where its counterpart stands somewhere in the block. */
const isReference = (written: string, block: string): boolean => {
  const [, sign, word] = /^([&*])([^\s,[\]{}]+)/.exec(written) ?? []
  if (sign === undefined || word === undefined) return false
  const other = `${sign === "&" ? "*" : "&"}${word}`
  return new RegExp(`(?:^|[\\s,[{:-])${RegExp.escape(other)}(?=[\\s,\\]}]|$)`, "m").test(block)
}

const cut = (text: string): string => ([...text].length > 60 ? `${[...text].slice(0, 60).join("")}…` : text)

type Fault = { readonly kind: "sign" | "lost" | "comment"; readonly what: string }

/** What YAML would make of the value if it were left as it is; undefined where it reads what stands there. */
const faultOf = (yaml: typeof Yaml, { key, written }: Entry, fragment: string): Fault | undefined => {
  // A key behind it: at the end of a document the parser takes some quotes for closed that are not.
  const document = yaml.parseDocument(`${fragment}\n": next": 0`, { prettyErrors: false, logLevel: "silent" })
  const sign: Fault = { kind: "sign", what: written.slice(0, 1) }
  // A list or map that is begun and never closed is no text, unless nothing but a text can stand there.
  if (document.errors.length > 0)
    return texts.has(key) || !/^\[[^\]]*$|^\{[^}]*$/.test(written) ? sign : undefined
  const pair = yaml.isMap(document.contents) ? document.contents.items[0] : undefined
  const value = pair?.value
  // `!!str x` is YAML that somebody meant; `!important` and an anchor that nobody names are not.
  if (/^!!(?:str|int|float|bool|null|seq|map)(?=\s)/.test(written)) return undefined
  if (yaml.isAlias(value) || /^[&!]/.test(written)) return sign
  // `{x}` is a place to be filled in, `{a: b}` a map, and lines below `description:` that hold a colon are text.
  if (yaml.isMap(value))
    return texts.has(key) && (value.flow !== true || value.items.every((item) => item.value === null))
      ? sign
      : undefined
  if (!yaml.isScalar(value)) return undefined
  if (value.type !== "PLAIN" && value.type !== undefined) return undefined
  const read = (value.source ?? "").trim().replace(/\s+/g, " ")
  if (read === written.replace(/\s+/g, " ")) return undefined
  const lost = written.replace(/\s+/g, " ").slice(read.length).trim()
  return lost.startsWith("#") ? { kind: "comment", what: lost } : { kind: "lost", what: lost }
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
  for (const entry of entries) {
    const { from, key, to, written } = entry
    if (isReference(written, block)) continue
    const fault = faultOf(yaml, entry, lines.slice(from, to).join("\n"))
    if (fault === undefined) continue
    const line = from + 1
    if (fault.kind === "comment" && words.has(key)) {
      if (key === "name")
        mended.push({ line, readable: true, message: `"${cut(fault.what)}" behind the name is a comment` })
      continue
    }
    next[from] = `${key}: '${loosely(written).replaceAll("'", "''")}'`
    for (let at = from + 1; at < to; at++) next[at] = ""
    const why =
      fault.kind === "sign"
        ? `the value of "${key}" holds a colon or sign and should stand in quotes`
        : `the value of "${key}" should stand in quotes: YAML leaves out "${cut(fault.what)}"`
    mended.push({ line, readable: fault.kind !== "sign", message: `${why}; it is kept whole` })
  }
  return { lines: next, mended }
}
