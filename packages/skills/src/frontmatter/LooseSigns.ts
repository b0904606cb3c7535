/**
 * Signs that are YAML and lead nowhere: an alias without its anchor (`[*.md, *.ts]`), a tag that nobody knows
 * (`!important`), an anchor that nobody names (`&x`). In a document that was read they are put back as the text that
 * was written.
 *
 * In `metadata` nothing is put back where a map of requirements may be meant; a list of names that gets one more name
 * keeps its gate shut.
 */
import type * as Yaml from "yaml"
import { isUnknownTag } from "./TextFault.ts"

export interface PutBack {
  /** Offset in the source, and the key of the first level below which it stands. */
  readonly at: number
  readonly key: string
}

export interface Loose {
  readonly putBack: ReadonlyArray<PutBack>
  /** Offset of the first that was left, so that the document has no value. */
  readonly left: number | undefined
}

type Path = ReadonlyArray<unknown>

const holdsMaps = new Set(["metadata", "cow", "cowagent", "openclaw", "requires", "<<"])

/** An empty name is an error to the parser; the alias is put back like any other. */
export const isEmptyAlias = ({ code, message }: Yaml.YAMLParseError): boolean =>
  code === "BAD_ALIAS" && message.startsWith("Alias")

/** The anchor and tag before a value, with the blanks between. */
const signsBefore = (source: string, start: number): string => {
  let at = start
  for (;;) {
    let end = at
    while (/[ \t]/.test(source[end - 1] ?? "")) end--
    let from = end
    while (/[^\s,[\]{}]/.test(source[from - 1] ?? " ")) from--
    if (from === end || !/[&!]/.test(source[from] as string)) return source.slice(at, start)
    at = from
  }
}

const nameOf = (yaml: typeof Yaml, pair: unknown): string =>
  yaml.isPair(pair) && yaml.isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : ""

/** Whether more than a text may be meant: a map that is merged or that a requirement could stand in. */
const isMeant = (yaml: typeof Yaml, slot: unknown, path: Path): boolean => {
  const parent = path.findLast((one) => yaml.isPair(one))
  const name = nameOf(yaml, parent)
  if (nameOf(yaml, path[2]) !== "metadata") return path.length === 3 && (slot === "key" || name === "<<")
  if (slot !== "key")
    return name === "<<" || (slot === "value" && holdsMaps.has(name.split(".").at(-1) ?? ""))
  const value = yaml.isPair(parent) ? parent.value : undefined
  return value !== null && !(yaml.isScalar(value) && value.value === null)
}

/** Changes the document. */
export const putBack = (yaml: typeof Yaml, document: Yaml.Document.Parsed, source: string): Loose => {
  const found: Array<PutBack> = []
  let left: number | undefined
  const anchors = new Set<string>()
  const aliases = new Set<string>()
  yaml.visit(document, {
    Node: (_, node) => {
      if (yaml.isAlias(node)) aliases.add(node.source)
      else if (node.anchor !== undefined) anchors.add(node.anchor)
    }
  })
  const asText = (slot: unknown, node: Yaml.Node, path: Path, written: string): Yaml.Scalar | undefined => {
    const at = node.range?.[0] ?? 0
    if (isMeant(yaml, slot, path)) {
      left ??= at
      return undefined
    }
    const parent = path.findLast((one) => yaml.isPair(one))
    // A key that merges takes nothing but maps.
    if (yaml.isPair(parent) && nameOf(yaml, parent) === "<<") {
      const key = new yaml.Scalar("<<")
      key.type = "QUOTE_SINGLE"
      parent.key = key
    }
    found.push({ at, key: nameOf(yaml, path[2]) })
    return new yaml.Scalar(written)
  }
  yaml.visit(document, {
    Alias: (slot, node, path) =>
      anchors.has(node.source) && node.resolve(document) !== undefined
        ? undefined
        : asText(slot, node, path, `*${node.source}`),
    Scalar: (slot, node, path) => {
      const [start, end] = node.range ?? [0, 0]
      const anchored = node.anchor !== undefined && !aliases.has(node.anchor)
      const isLost = anchored && (node.value === null || nameOf(yaml, path[2]) !== "metadata")
      const signs = isUnknownTag(node.tag) || isLost ? signsBefore(source, start) : ""
      return signs === "" ? undefined : asText(slot, node, path, `${signs}${source.slice(start, end)}`.trim())
    }
  })
  return { putBack: found, left }
}
