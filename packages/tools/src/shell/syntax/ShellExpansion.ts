/**
 * What follows a `$` or a backtick in a shell text: variables, substitutions, arithmetic. Quotes and words are
 * `ShellScanner`, which it is a part of.
 */
import type { Scanner } from "./ShellScanner.ts"
import { ShellFault, type WordPart } from "./ShellSyntax.ts"

type Parts = ReadonlyArray<WordPart>

/** Of parts whose text plays no role, what they run. */
const unknownOf = (parts: Parts): Parts => parts.filter((part) => part._tag === "Unknown")

const name = String.raw`(?:[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?:[@*]|\d+)\])?`
/** Forms of `${ }` that neither set a variable nor compute with or run what one holds. */
const harmless = new RegExp(String.raw`^${name}(?:$|:?[-+?]|[#%/^,]|: ?-?\d+(?::-?\d+)?$)`)
const defaulted = /^[A-Za-z_]\w*:?[-=]([^$`\\]*)$/

/** `${ }` behind its bracket. */
const braced = (scan: Scanner, quoted: boolean): Parts => {
  const plain = /^([A-Za-z_]\w*)\}/.exec(scan.source.slice(scan.at, scan.at + 256))
  if (plain?.[1] !== undefined) {
    scan.at += plain[0].length
    return [{ _tag: "Variable", name: plain[1], quoted }]
  }
  const from = scan.at
  const inner = unknownOf(scan.quotedParts("}"))
  const text = scan.source.slice(from, scan.at - 1)
  if (/^#(?:[A-Za-z_]\w*(?:\[[@*]\])?|[@*#]?)$/.test(text)) return [{ _tag: "Unknown", isNumber: true }]
  const fallback = defaulted.exec(text)?.[1]?.replace(/["']/g, "") ?? ""
  return [{ _tag: "Unknown", fallback, evaluates: !harmless.test(text) }, ...inner]
}

const backticks = (scan: Scanner): Parts => {
  let text = ""
  while (!scan.eat("`")) {
    if (scan.at >= scan.source.length) throw new ShellFault("a backtick is not closed")
    if (scan.char === "\\" && "\\`$".includes(scan.source[scan.at + 1] ?? " ")) scan.at++
    text += scan.char
    scan.at++
  }
  return [{ _tag: "Unknown", script: scan.inner(text).script("") }]
}

/** At a `$` or a backtick. Several parts where an expansion holds others. */
export const expansion = (scan: Scanner, quoted: boolean): Parts => {
  if (scan.eat("`")) return backticks(scan)
  scan.at++
  if (scan.looksAt("((")) {
    const parts = arithmetic(scan)
    if (parts !== undefined) return parts
  }
  if (scan.eat("(")) return [{ _tag: "Unknown", script: scan.script(")") }]
  if (scan.looksAt("[")) throw new ShellFault("the old arithmetic $[ ] is not judged")
  const variable = /^[A-Za-z_]\w*/.exec(scan.source.slice(scan.at, scan.at + 256))?.[0]
  if (variable !== undefined) {
    scan.at += variable.length
    return [{ _tag: "Variable", name: variable, quoted }]
  }
  if (scan.eat("{")) return braced(scan, quoted)
  if (/[0-9@*#?$!-]/.test(scan.char)) {
    const isNumber = /[#?$!]/.test(scan.char)
    scan.at++
    return [{ _tag: "Unknown", isNumber }]
  }
  return [{ _tag: "Text", text: "$", quoted: true }]
}

/** What a text that is computed with may do: the names in it, and whether their values are evaluated. */
export const computed = (text: string, parts: Parts): Parts => {
  const names = [...(text.match(/(?<!\w)[A-Za-z_]\w*/g) ?? [])]
  for (const part of parts) if (part._tag === "Variable") names.push(part.name)
  const evaluates =
    /[$`]/.test(text) || parts.some((part) => part._tag === "Unknown" && part.isNumber !== true)
  return [{ _tag: "Unknown", isNumber: true, evaluates, numbers: names }, ...unknownOf(parts)]
}

/** At `((` of `$(( ))` or `(( ))`; `undefined`, and nothing consumed, where it is brackets in brackets. */
export const arithmetic = (scan: Scanner): Parts | undefined => {
  const from = scan.at
  const parts: Array<WordPart> = []
  let text = ""
  scan.at += 2
  for (let depth = 0; !(depth === 0 && scan.eat("))")); ) {
    if (scan.at >= scan.source.length) throw new ShellFault("a (( is not closed")
    if (scan.char === "(") depth++
    if (scan.char === ")" && depth-- === 0) {
      // It would have to be read again, with its here-documents.
      if (scan.source.slice(from, scan.at).includes("<<")) throw new ShellFault("a (( is not closed by ))")
      scan.at = from
      return undefined
    }
    if (scan.char === "$" || scan.char === "`") {
      parts.push(...scan.nested(() => expansion(scan, true)))
      text += " "
    } else if (scan.eat("'")) text += scan.until("'")
    else if (scan.eat('"'))
      for (const part of scan.quotedParts('"'))
        if (part._tag === "Text") text += part.text
        else parts.push(part)
    else {
      if (scan.char === "\\") scan.at++
      text += scan.char
      scan.at++
    }
  }
  return computed(text, parts)
}
