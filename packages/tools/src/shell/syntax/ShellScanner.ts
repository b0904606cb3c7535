/**
 * Reads the words of a shell text: blanks, quotes, here-documents, what follows a `$`. What the words form is
 * `ShellCommand`, which hands its `parse` in for what stands in `$( )`.
 */
import { type Script, ShellFault, type Word, type WordPart } from "./ShellSyntax.ts"

/** Parses commands from the scanner's place up to `close`, which is consumed; "" is the end of the text. */
export type ParseScript = (scanner: Scanner, close: "" | ")") => Script

const maxDepth = 100
const plainRun = /[^ \t\n;&|<>()\\'"$`]+/y
const meta = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"])

export class Scanner {
  at = 0
  private readonly heredocs: Array<{
    readonly end: string
    readonly quoted: boolean
    readonly tabs: boolean
    readonly parts: Array<WordPart>
  }> = []

  constructor(
    readonly source: string,
    private readonly parseScript: ParseScript,
    private depth = 0
  ) {
    if (depth > maxDepth) throw new ShellFault("it is nested too deeply")
    if (source.includes("\0")) throw new ShellFault("it holds a zero character")
  }

  get char(): string {
    return this.source[this.at] ?? ""
  }

  looksAt(text: string): boolean {
    return this.source.startsWith(text, this.at)
  }

  eat(text: string): boolean {
    if (!this.looksAt(text)) return false
    this.at += text.length
    return true
  }

  /** Blanks, joined lines and a comment; stops at a line end. */
  skipBlanks(): void {
    for (;;) {
      if (this.eat(" ") || this.eat("\t") || this.eat("\\\n")) continue
      if (this.char === "#") {
        const end = this.source.indexOf("\n", this.at)
        this.at = end < 0 ? this.source.length : end
        continue
      }
      return
    }
  }

  /** Blanks and line ends, with the here-documents that begin behind them. */
  skipLines(): void {
    for (this.skipBlanks(); this.char === "\n"; this.skipBlanks()) this.newline()
  }

  /** Consumes a line end and the here-documents announced on the line. */
  newline(): void {
    this.at++
    for (const { end, quoted, tabs, parts } of this.heredocs.splice(0)) {
      const lines: Array<string> = []
      for (;;) {
        if (this.at >= this.source.length) break
        const stop = this.source.indexOf("\n", this.at)
        const line = this.source.slice(this.at, stop < 0 ? undefined : stop)
        this.at = stop < 0 ? this.source.length : stop + 1
        if ((tabs ? line.replace(/^\t+/, "") : line) === end) break
        lines.push(line)
      }
      const text = lines.join("\n")
      if (quoted) parts.push({ _tag: "Text", text, quoted: true })
      else parts.push(...this.inner(text).quotedParts(""))
    }
  }

  /** A here-document announced here: its text follows behind the line. */
  heredoc(tabs: boolean): Word {
    this.skipBlanks()
    const from = this.at
    const delimiter = this.word()
    if (delimiter === undefined) throw new ShellFault("a here-document without its end mark")
    const quoted = /['"\\]/.test(this.source.slice(from, this.at))
    const end = delimiter.parts.map((part) => (part._tag === "Text" ? part.text : "")).join("")
    const parts: Array<WordPart> = []
    this.heredocs.push({ end, quoted, tabs, parts })
    return { parts }
  }

  get awaitsHeredoc(): boolean {
    return this.heredocs.length > 0
  }

  /** The word that begins here; `undefined`: none does. */
  word(): Word | undefined {
    const parts: Array<WordPart> = []
    const add = (text: string, quoted: boolean) => {
      const last = parts.at(-1)
      if (last?._tag === "Text" && last.quoted === quoted)
        parts[parts.length - 1] = { _tag: "Text", text: last.text + text, quoted }
      else parts.push({ _tag: "Text", text, quoted })
    }
    while (this.at < this.source.length) {
      if ((this.looksAt("<(") || this.looksAt(">(")) && parts.length === 0) {
        this.at += 2
        parts.push({ _tag: "Unknown", script: this.script(")") })
      } else if (meta.has(this.char)) break
      else if (this.eat("\\\n")) continue
      else if (this.eat("\\")) {
        if (this.at >= this.source.length) throw new ShellFault("it ends in a backslash")
        add(this.char, true)
        this.at++
      } else if (this.eat("'")) add(this.until("'"), true)
      else if (this.eat('$"') || this.eat('"')) {
        add("", true)
        parts.push(...this.quotedParts('"'))
      } else if (this.eat("$'")) parts.push(this.ansiQuoted())
      else if (this.char === "$" || this.char === "`")
        for (const part of this.nested(() => expansion(this, false)))
          parts.push(part._tag === "Unknown" && part.isNumber !== true ? { ...part, splits: true } : part)
      else add(this.plain(), false)
    }
    return parts.length === 0 ? undefined : { parts }
  }

  /** A run of characters that mean nothing to the shell. */
  private plain(): string {
    plainRun.lastIndex = this.at
    const text = plainRun.exec(this.source)?.[0] ?? this.char
    this.at += text.length
    return text
  }

  /** The text up to a mark, which is consumed. */
  until(mark: string): string {
    const end = this.source.indexOf(mark, this.at)
    if (end < 0) throw new ShellFault(`a ${mark} is not closed`)
    const text = this.source.slice(this.at, end)
    this.at = end + mark.length
    return text
  }

  private ansiQuoted(): WordPart {
    const from = this.at
    while (this.char !== "'") {
      if (this.at >= this.source.length) throw new ShellFault("a $' is not closed")
      this.at += this.char === "\\" ? 2 : 1
    }
    const text = this.source.slice(from, this.at++)
    return text.includes("\\") ? { _tag: "Unknown" } : { _tag: "Text", text, quoted: true }
  }

  /** What stands between double quotes, up to `close`; "" is the end of the text. */
  quotedParts(close: "" | '"' | "}"): ReadonlyArray<WordPart> {
    const parts: Array<WordPart> = []
    let text = ""
    const flush = () => {
      if (text !== "") parts.push({ _tag: "Text", text, quoted: true })
      text = ""
    }
    for (;;) {
      if (this.at >= this.source.length) {
        if (close === "") break
        throw new ShellFault(`a ${close} is missing`)
      }
      if (close !== "" && this.eat(close)) break
      if (this.eat("\\\n")) continue
      if (this.char === "\\" && '\\$`"}'.includes(this.source[this.at + 1] ?? " ")) {
        text += this.source[this.at + 1]
        this.at += 2
      } else if (close === "}" && this.eat("'")) text += this.until("'")
      else if (close === "}" && this.eat('"')) {
        flush()
        parts.push(...this.quotedParts('"'))
      } else if (this.char === "$" || this.char === "`") {
        flush()
        parts.push(...this.nested(() => expansion(this, true)))
      } else {
        text += this.char
        this.at++
      }
    }
    flush()
    return parts
  }

  /** The same for a text of its own inside this one. */
  inner(text: string): Scanner {
    return new Scanner(text, this.parseScript, this.depth + 1)
  }

  /** The commands from here to `close`, which is consumed. */
  script(close: "" | ")"): Script {
    return this.nested(() => this.parseScript(this, close))
  }

  /** Reads something one level deeper; there is an end to that. */
  nested<A>(read: () => A): A {
    if (++this.depth > maxDepth) throw new ShellFault("it is nested too deeply")
    const value = read()
    this.depth--
    return value
  }
}

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
