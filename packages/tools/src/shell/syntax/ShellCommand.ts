/**
 * A parser for what bash runs: lists, pipes, groups, loops, conditions, functions, redirections. It finds every
 * command that may run; it does not say in which case. Pure. Words are `ShellScanner`, the values `ShellSyntax`.
 */
import * as Result from "effect/Result"
import { arithmetic, Scanner } from "./ShellScanner.ts"
import { readRedirect, readSimple } from "./ShellSimple.ts"
import {
  type CommandGroup,
  literal,
  type Redirect,
  type Script,
  ShellFault,
  type ShellNode,
  type Word
} from "./ShellSyntax.ts"
import { readTest } from "./ShellTest.ts"

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
      if (this.scan.eat(";")) continue
      if (this.scan.eat("&")) {
        const last = nodes.pop()
        if (last !== undefined) nodes.push({ ...last, joint: "&" })
        continue
      }
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
    const found = /^[^ \t\n;&|<>()$`"'\\]+/.exec(this.scan.source.slice(from, from + 64))?.[0]
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
      const node = this.scan.nested(() => this.command())
      this.scan.skipBlanks()
      const joint = (["&&", "||", "|&", "|"] as const).find((mark) => this.scan.eat(mark))
      if (joint === undefined) {
        nodes.push(node)
        return nodes
      }
      nodes.push({ ...node, joint: joint === "|&" ? "|" : joint })
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
        return this.scan.nested(() => this.command())
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
        return this.group([], false, readTest(this.scan))
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
      const parts = arithmetic(this.scan)
      if (parts !== undefined) return this.group([], false, [{ parts }])
    }
    if (this.scan.eat("(")) {
      const body = this.list([")"])
      if (body.length === 0) this.fault("empty brackets")
      this.scan.at++
      return this.group(body, true)
    }
    const simple = readSimple(this.scan)
    return simple === "function" ? this.functionBody() : simple
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
    for (this.scan.skipBlanks(); readRedirect(this.scan, redirects); this.scan.skipBlanks());
    return { _tag: "Group", subshell, body, words, redirects }
  }

  private functionBody(): ShellNode {
    this.scan.skipLines()
    return this.group([this.scan.nested(() => this.command())], false)
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
    const sets: Array<string> = []
    if (this.scan.looksAt("(("))
      words.push({ parts: arithmetic(this.scan) ?? this.fault("a loop without its head") })
    else {
      const name = this.scan.word() ?? this.fault("a loop without a name")
      sets.push(literal(name) ?? "_")
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
    return { ...this.group(this.block(["done"]), false, words), sets }
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
}

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
