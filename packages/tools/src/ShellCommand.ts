/**
 * A parser for what bash runs: lists, pipes, groups, loops, conditions, functions, redirections. It finds every
 * command that may run; it does not say in which case. Pure. Words are `ShellScanner`, the values `ShellSyntax`.
 */
import * as Result from "effect/Result"
import { Scanner, ShellFault } from "./ShellScanner.ts"
import {
  bare,
  type CommandGroup,
  type Redirect,
  type Script,
  type ShellNode,
  type Word
} from "./ShellSyntax.ts"

const redirection = /^(?:\d+|\{\w+\})?(<<<|<<-|<<|<&|<>|<|>>|>\||>&|>|&>>|&>)/
const assignment = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/
/** Words that end something when they stand where a command begins. */
const closing = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"])

class Parser {
  constructor(private readonly scan: Scanner) {}

  private fault(message: string): never {
    throw new ShellFault(message)
  }

  /** Commands up to one of the words or marks, which is not consumed; "" is the end of the text. */
  list(ends: ReadonlyArray<string>): Script {
    const nodes: Array<ShellNode> = []
    for (;;) {
      this.scan.skipLines()
      if (this.isAt(ends)) return nodes
      if (this.scan.at >= this.scan.source.length) this.fault(`it ends before "${ends[0]}"`)
      nodes.push(...this.andOr())
      this.scan.skipBlanks()
      if (this.isAt(ends.filter((end) => end !== "then" && end !== "do"))) return nodes
      if (this.scan.looksAt(";;")) this.fault('";;" outside of case')
      if (this.scan.eat(";") || this.scan.eat("&")) continue
      if (this.scan.char === "\n") continue
      if (this.scan.at < this.scan.source.length) this.fault(`"${this.scan.char}" is not expected`)
    }
  }

  private isAt(ends: ReadonlyArray<string>): boolean {
    return ends.some((end) => {
      if (end === "") return this.scan.at >= this.scan.source.length
      if (!/^\w+$|^[}]$/.test(end)) return this.scan.looksAt(end)
      return this.peekWord() === end
    })
  }

  /** The plain word that stands here, not consumed. */
  private peekWord(): string | undefined {
    const from = this.scan.at
    if (!/[a-z!{}[]/.test(this.scan.char)) return undefined
    const found = /^[^\s;&|<>()$`"'\\]+/.exec(this.scan.source.slice(from, from + 64))?.[0]
    const next = this.scan.source[from + (found?.length ?? 0)] ?? ""
    return found !== undefined && !/[$`"'\\]/.test(next) ? found : undefined
  }

  private expect(word: string): void {
    this.scan.skipLines()
    if (!this.isAt([word])) this.fault(`"${word}" is missing`)
    this.scan.at += word.length
  }

  private andOr(): Script {
    const nodes: Array<ShellNode> = []
    for (;;) {
      this.scan.skipBlanks()
      nodes.push(this.command())
      this.scan.skipBlanks()
      if (!(this.scan.eat("&&") || this.scan.eat("||") || this.scan.eat("|&") || this.scan.eat("|")))
        return nodes
      this.scan.skipLines()
    }
  }

  private command(): ShellNode {
    this.scan.skipBlanks()
    const word = this.peekWord()
    switch (word) {
      case "!":
      case "time":
      case "coproc":
        this.scan.at += word.length
        this.scan.skipBlanks()
        if (word === "time" && this.scan.eat("-p")) this.scan.skipBlanks()
        return this.command()
      case "{":
        this.scan.at++
        return this.group(this.block(["}"]), false)
      case "if":
        return this.condition()
      case "while":
      case "until": {
        this.scan.at += word.length
        const test = this.block(["do"])
        return this.group([...test, ...this.block(["done"])], false)
      }
      case "for":
      case "select":
        return this.loop(word)
      case "case":
        return this.cases()
      case "[[":
        return this.test()
      case "function":
        this.scan.at += word.length
        this.scan.skipBlanks()
        if (this.scan.word() === undefined) this.fault("a function without a name")
        this.scan.skipBlanks()
        if (this.scan.eat("(")) {
          this.scan.skipBlanks()
          if (!this.scan.eat(")")) this.fault('")" is missing')
        }
        return this.functionBody()
    }
    if (word !== undefined && closing.has(word)) this.fault(`"${word}" is not expected`)
    if (this.scan.looksAt("((")) {
      const parts = this.scan.arithmetic()
      if (parts !== undefined) return this.group([], false, [{ parts }])
    }
    if (this.scan.eat("(")) {
      const body = this.list([")"])
      if (body.length === 0) this.fault("empty brackets")
      this.scan.at++
      return this.group(body, true)
    }
    return this.simple()
  }

  /** A non-empty list and the word that ends it, consumed. */
  private block(ends: ReadonlyArray<string>): Script {
    const body = this.list(ends)
    const end = this.peekWord()
    if (body.length === 0) this.fault(`nothing stands before "${end}"`)
    this.scan.at += end?.length ?? 0
    return body
  }

  private group(body: Script, subshell: boolean, words: ReadonlyArray<Word> = []): CommandGroup {
    const redirects: Array<Redirect> = []
    for (this.scan.skipBlanks(); this.redirect(redirects); this.scan.skipBlanks());
    return { _tag: "Group", subshell, body, words, redirects }
  }

  private functionBody(): ShellNode {
    this.scan.skipLines()
    return this.group([this.command()], true)
  }

  private condition(): ShellNode {
    this.scan.at += 2
    const body: Array<ShellNode> = [...this.block(["then"])]
    for (;;) {
      body.push(...this.list(["elif", "else", "fi"]))
      const word = this.peekWord() ?? ""
      this.scan.at += word.length
      if (word === "fi") return this.group(body, false)
      if (word === "elif") body.push(...this.block(["then"]))
      else {
        body.push(...this.block(["fi"]))
        return this.group(body, false)
      }
    }
  }

  private loop(word: string): ShellNode {
    this.scan.at += word.length
    this.scan.skipBlanks()
    const words: Array<Word> = []
    if (this.scan.looksAt("(("))
      words.push({ parts: this.scan.arithmetic() ?? this.fault("a loop without its head") })
    else {
      if (this.scan.word() === undefined) this.fault("a loop without a name")
      this.scan.skipLines()
      if (this.peekWord() === "in") {
        this.scan.at += 2
        for (this.scan.skipBlanks(); ; this.scan.skipBlanks()) {
          const item = this.scan.word()
          if (item === undefined) break
          words.push(item)
        }
      }
    }
    this.scan.skipBlanks()
    this.scan.eat(";")
    this.expect("do")
    return this.group(this.block(["done"]), false, words)
  }

  private cases(): ShellNode {
    this.scan.at += 4
    this.scan.skipBlanks()
    const words: Array<Word> = [this.scan.word() ?? this.fault("case without a word")]
    this.expect("in")
    const body: Array<ShellNode> = []
    for (;;) {
      this.scan.skipLines()
      if (this.isAt(["esac"])) break
      this.scan.eat("(")
      do {
        this.scan.skipBlanks()
        words.push(this.scan.word() ?? this.fault("case without a pattern"))
        this.scan.skipBlanks()
      } while (this.scan.eat("|"))
      if (!this.scan.eat(")")) this.fault('")" of a case is missing')
      body.push(...this.list([";;", ";&", "esac"]))
      if (!(this.scan.eat(";;&") || this.scan.eat(";;") || this.scan.eat(";&"))) break
    }
    this.expect("esac")
    return this.group(body, false, words)
  }

  /** `[[ … ]]`: its words are expanded, and `<`, `>`, `(`, `&&` in it are its own. */
  private test(): ShellNode {
    this.scan.at += 2
    const words: Array<Word> = []
    for (;;) {
      this.scan.skipLines()
      const word = this.scan.word()
      if (word !== undefined) {
        if (bare(word) === "]]") return this.group([], false, words)
        words.push(word)
      } else if (this.scan.at >= this.scan.source.length) this.fault('"]]" is missing')
      else this.scan.at++
    }
  }

  private redirect(into: Array<Redirect>): boolean {
    if (this.scan.looksAt("<(") || this.scan.looksAt(">(")) return false
    const found = redirection.exec(this.scan.source.slice(this.scan.at, this.scan.at + 64))
    const operator = found?.[1]
    if (found === null || operator === undefined) return false
    this.scan.at += found[0].length
    if (operator === "<<" || operator === "<<-") {
      into.push({ operator: "<<", target: this.scan.heredoc(operator === "<<-") })
      return true
    }
    this.scan.skipBlanks()
    into.push({ operator, target: this.scan.word() ?? this.fault(`"${operator}" without a target`) })
    return true
  }

  private simple(): ShellNode {
    const redirects: Array<Redirect> = []
    const assignments: Array<{ name: string; value: Word }> = []
    const words: Array<Word> = []
    for (this.scan.skipBlanks(); ; this.scan.skipBlanks()) {
      if (this.redirect(redirects)) continue
      const word = this.scan.word()
      if (word === undefined) {
        const isFunction = words.length === 1 && assignments.length === 0 && redirects.length === 0
        if (isFunction && /^\(\s*\)/.test(this.scan.source.slice(this.scan.at, this.scan.at + 16))) {
          this.scan.at = this.scan.source.indexOf(")", this.scan.at) + 1
          return this.functionBody()
        }
        break
      }
      const [first, ...rest] = word.parts
      const named =
        words.length === 0 && first?._tag === "Text" && !first.quoted ? assignment.exec(first.text) : null
      if (named?.[1] === undefined || first?._tag !== "Text") words.push(word)
      else {
        const value: Word = { parts: [{ ...first, text: first.text.slice(named[0].length) }, ...rest] }
        assignments.push({ name: named[1], value })
        if (this.scan.char === "(" && literalEmpty(value)) this.array(assignments, named[1])
      }
    }
    if (words.length + assignments.length + redirects.length === 0)
      this.fault(
        this.scan.at >= this.scan.source.length
          ? "a command is missing at its end"
          : `"${this.scan.char}" is not expected`
      )
    return { _tag: "Simple", assignments, words, redirects }
  }

  /** `NAME=( … )`: its words are expanded, none is run. */
  private array(into: Array<{ name: string; value: Word }>, name: string): void {
    this.scan.at++
    for (;;) {
      this.scan.skipLines()
      if (this.scan.eat(")")) return
      into.push({ name, value: this.scan.word() ?? this.fault("a list is not closed") })
    }
  }
}

const literalEmpty = ({ parts }: Word): boolean =>
  parts.every((part) => part._tag === "Text" && part.text === "")

const parseScript = (scan: Scanner, close: "" | ")"): Script => {
  const nodes = new Parser(scan).list([close])
  scan.at += close.length
  return nodes
}

/** Every command of the text, or why it is none. */
export const parse = (source: string): Result.Result<Script, string> => {
  try {
    return Result.succeed(parseScript(new Scanner(source, parseScript), ""))
  } catch (cause) {
    if (cause instanceof ShellFault) return Result.fail(cause.message)
    throw cause
  }
}
