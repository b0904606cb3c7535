/**
 * Whether YAML reads one value as the text that stands there, or takes its signs for its own. Pure; which values are
 * asked about, and what is done, is `UnquotedText` and `UnquotedItems`.
 */
import type * as Yaml from "yaml"

/** `sign`: no YAML, or another value than is written. `lost`, `comment`: YAML leaves out `what`. */
export type TextFault = { readonly kind: "sign" | "lost" | "comment"; readonly what: string }

/** What YAML reads as the text it is, for certain: most values of most files. */
const harmless = /^[^\s!&*?|>@`%#"'{}[\],:-](?:[^:#\t]|:(?![\s]|$)|(?<! )#)*$/

export const isHarmless = (text: string): boolean => harmless.test(text)

/** A lone `>` or `|` with its signs: a block of lines follows. */
const blockHeader = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?(?:[ \t]+#.*)?$/

export const isBlockHeader = (text: string): boolean => blockHeader.test(text.trim())

/** Fields of one text each. */
export const texts: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility"])

const known = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map|set|omap|pairs|binary|timestamp)$/

/** A tag that no reader of YAML knows: `!important` is not meant as one. */
export const isUnknownTag = (tag: string | undefined): boolean => tag !== undefined && !known.test(tag)

/** An alias alone, or an anchor at the start, whose counterpart stands somewhere else in the block. */
export const isReference = (written: string, block: string): boolean => {
  const [, sign, word] = /^(?:(?=\*\S+(?:\s+#.*)?$)|(?=&))([&*])([^\s,[\]{}]+)/.exec(written) ?? []
  if (sign === undefined || word === undefined) return false
  const other = `${sign === "&" ? "*" : "&"}${word}`
  return new RegExp(`(?:^|[\\s,[{:-])${RegExp.escape(other)}(?=[\\s,\\]}]|$)`, "m").test(
    block.replace(written, "")
  )
}

/** Between simple quotes. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A list or map in a field of one text, in which some item is no YAML text: none of it was meant as one. */
const holdsSigns = (yaml: typeof Yaml, value: unknown, block: string): boolean => {
  let found = false
  if (yaml.isCollection(value))
    yaml.visit(value, {
      Alias: (_, { source }) => {
        found ||= !isReference(`*${source}`, block)
      },
      Scalar: (_, { tag, anchor }) => {
        found ||= isUnknownTag(tag)
        found ||= anchor !== undefined && !isReference(`&${anchor}`, block)
      }
    })
  return found
}

interface Asked {
  readonly key: string
  /** Its lines joined by one blank. */
  readonly written: string
  /** The lines of the entry, key included. */
  readonly fragment: string
  /** All lines, in which an anchor may stand. */
  readonly block: string
}

/** What YAML would make of the value if it were left as it is; undefined where it reads what stands there. */
export const find = (yaml: typeof Yaml, { key, written, fragment, block }: Asked): TextFault | undefined => {
  // A key behind it: at the end of a document the parser takes some quotes for closed that are not.
  const document = yaml.parseDocument(`${fragment}\n": next": 0`, { prettyErrors: false, logLevel: "silent" })
  const sign: TextFault = { kind: "sign", what: written.slice(0, 1) }
  // A list or map that is begun and never closed is no text, unless nothing but a text can stand there.
  if (document.errors.length > 0)
    return texts.has(key) || !/^\[[^\]]*$|^\{[^}]*$/.test(written) ? sign : undefined
  const pair = yaml.isMap(document.contents) ? document.contents.items[0] : undefined
  const value = pair?.value
  // `!!str x` is YAML that somebody meant; `!important` and an anchor that nobody names are not.
  if (/^!!(?:str|int|float|bool|null|seq|map)(?=\s)/.test(written)) return undefined
  if (yaml.isAlias(value) || /^[&!]/.test(written)) return sign
  if (texts.has(key) && holdsSigns(yaml, value, block)) return sign
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
