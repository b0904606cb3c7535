/**
 * Reads the words of a shell text: quotes, expansions, substitutions, here-documents. What the words form is
 * `ShellCommand`, which hands its `parse` in for what stands in `$( )`.
 */
import type { Script, Word, WordPart } from "./ShellSyntax.ts"

/** The text is no shell command. Thrown inside the parser only. */
export class ShellFault {
  constructor(readonly message: string) {}
}

/** Parses commands from the scanner's place up to `close`, which is consumed; "" is the end of the text. */
export type ParseScript = (scanner: Scanner, close: "" | ")") => Script

const maxDepth = 50
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
    private readonly depth = 0
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
      if (this.eat(" ") || this.eat("\t") || this.eat("\\\n") || this.eat("\r")) continue
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
        parts.push({ _tag: "Unknown", script: this.parseScript(this, ")") })
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
      else if (this.char === "$" || this.char === "`") parts.push(...this.expansion(false))
      else {
        add(this.char, false)
        this.at++
      }
    }
    return parts.length === 0 ? undefined : { parts }
  }

  /** The text up to a mark, which is consumed. */
  private until(mark: string): string {
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
        parts.push(...this.expansion(true))
      } else {
        text += this.char
        this.at++
      }
    }
    flush()
    return parts
  }

  private inner(text: string): Scanner {
    return new Scanner(text, this.parseScript, this.depth + 1)
  }

  /** At a `$` or a backtick. Several parts where an expansion holds others. */
  private expansion(quoted: boolean): ReadonlyArray<WordPart> {
    if (this.eat("`")) {
      let text = ""
      while (!this.eat("`")) {
        if (this.at >= this.source.length) throw new ShellFault("a backtick is not closed")
        if (this.char === "\\" && "\\`$".includes(this.source[this.at + 1] ?? " ")) this.at++
        text += this.char
        this.at++
      }
      return [{ _tag: "Unknown", script: this.parseScript(this.inner(text), "") }]
    }
    this.at++
    if (this.looksAt("((")) {
      const parts = this.arithmetic()
      if (parts !== undefined) return parts
    }
    if (this.eat("(")) return [{ _tag: "Unknown", script: this.parseScript(this, ")") }]
    const name = /^[A-Za-z_]\w*/.exec(this.source.slice(this.at, this.at + 256))?.[0]
    if (name !== undefined) {
      this.at += name.length
      return [{ _tag: "Variable", name, quoted }]
    }
    if (this.eat("{")) {
      const plain = /^([A-Za-z_]\w*)\}/.exec(this.source.slice(this.at, this.at + 256))
      if (plain?.[1] !== undefined) {
        this.at += plain[0].length
        return [{ _tag: "Variable", name: plain[1], quoted }]
      }
      return [{ _tag: "Unknown" }, ...this.unknownOf(this.quotedParts("}"))]
    }
    if (/[0-9@*#?$!-]/.test(this.char)) {
      this.at++
      return [{ _tag: "Unknown" }]
    }
    return [{ _tag: "Text", text: "$", quoted: true }]
  }

  /** Of parts whose text plays no role, what they run. */
  private unknownOf(parts: ReadonlyArray<WordPart>): ReadonlyArray<WordPart> {
    return parts.filter((part) => part._tag === "Unknown")
  }

  /** At `((` of `$(( ))` or `(( ))`; `undefined`, and nothing consumed, where it is brackets in brackets. */
  arithmetic(): ReadonlyArray<WordPart> | undefined {
    let depth = 0
    for (let end = this.at; end < this.source.length; end++) {
      const char = this.source[end]
      if (char === "(") depth++
      if (char !== ")") continue
      depth--
      if (depth === 1 && this.source[end + 1] === ")") {
        const text = this.source.slice(this.at + 2, end)
        this.at = end + 2
        return [{ _tag: "Unknown" }, ...this.unknownOf(this.inner(text).quotedParts(""))]
      }
      if (depth <= 1) return undefined
    }
    throw new ShellFault("a (( is not closed")
  }
}
