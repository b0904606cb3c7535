/**
 * JSON as people write it in `mcp.json`: comments, trailing commas and a byte-order mark are accepted. Pure.
 *
 * What the value means is `McpConfig`.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export interface JsonFault {
  /** From 1. */
  readonly line: number
  readonly message: string
}

const maxDepth = 200
const literals: Record<string, Schema.Json> = { true: true, false: false, null: null }

class Reader {
  private at = 0
  constructor(private readonly text: string) {}

  read(): Schema.Json {
    this.skip()
    const value = this.value(0)
    this.skip()
    if (this.at < this.text.length) this.fail("there is more text after the end of the value")
    return value
  }

  private fail(message: string): never {
    const line = this.text.slice(0, this.at).split("\n").length
    throw { line, message } satisfies JsonFault
  }

  private skip(): void {
    for (;;) {
      const blank = /[\s\uFEFF]*/y
      blank.lastIndex = this.at
      blank.test(this.text)
      this.at = blank.lastIndex
      if (this.text.startsWith("//", this.at)) {
        const end = this.text.indexOf("\n", this.at)
        this.at = end < 0 ? this.text.length : end
      } else if (this.text.startsWith("/*", this.at)) {
        const end = this.text.indexOf("*/", this.at + 2)
        if (end < 0) this.fail("a comment is not closed")
        this.at = end + 2
      } else return
    }
  }

  private value(depth: number): Schema.Json {
    if (depth > maxDepth) this.fail("the value is nested too deeply")
    const first = this.text[this.at]
    if (first === "{") return this.object(depth)
    if (first === "[") return this.array(depth)
    if (first === '"') return this.string()
    const word = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z]+/y
    word.lastIndex = this.at
    const found = word.exec(this.text)?.[0]
    if (found !== undefined && Object.hasOwn(literals, found)) {
      this.at += found.length
      return literals[found] as Schema.Json
    }
    if (found !== undefined && /^-?(?:0|[1-9])/.test(found) && !/^-?0\d/.test(found)) {
      this.at += found.length
      return Number(found)
    }
    return this.fail(
      first === undefined ? "the text ends too early" : `a value is expected, not ${this.near()}`
    )
  }

  private near(): string {
    return JSON.stringify(this.text.slice(this.at, this.at + 12).split("\n")[0])
  }

  private string(): string {
    const whole = /"(?:[^"\\\n\r]|\\.)*"/y
    whole.lastIndex = this.at
    const found = whole.exec(this.text)?.[0]
    if (found === undefined) return this.fail("a string is not closed on its line")
    try {
      const value: string = JSON.parse(found)
      this.at += found.length
      return value
    } catch {
      return this.fail("a string holds a control character or a wrong escape")
    }
  }

  private array(depth: number): Schema.Json {
    const out: Array<Schema.Json> = []
    this.at++
    for (;;) {
      this.skip()
      if (this.text[this.at] === "]") break
      out.push(this.value(depth + 1))
      this.separator("]")
    }
    this.at++
    return out
  }

  private object(depth: number): Schema.Json {
    const out: Record<string, Schema.Json> = {}
    this.at++
    for (;;) {
      this.skip()
      if (this.text[this.at] === "}") break
      if (this.text[this.at] !== '"') this.fail(`a key in double quotes is expected, not ${this.near()}`)
      const key = this.string()
      this.skip()
      if (this.text[this.at] !== ":") this.fail(`":" is expected after the key ${JSON.stringify(key)}`)
      this.at++
      this.skip()
      const value = this.value(depth + 1)
      // As an own property, also when it is called `__proto__`.
      Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true })
      this.separator("}")
    }
    this.at++
    return out
  }

  private separator(close: string): void {
    this.skip()
    if (this.text[this.at] === ",") this.at++
    else if (this.text[this.at] !== close)
      this.fail(
        this.at >= this.text.length
          ? "the text ends too early"
          : `"," or "${close}" is expected, not ${this.near()}`
      )
  }
}

const isFault = (thrown: unknown): thrown is JsonFault =>
  typeof thrown === "object" && thrown !== null && "line" in thrown && "message" in thrown

/** Fails with the line and what is wrong there. Of equal keys the last counts. */
export const parse = (text: string): Result.Result<Schema.Json, JsonFault> =>
  Result.try({
    try: () => new Reader(text).read(),
    catch: (thrown) => (isFault(thrown) ? thrown : { line: 1, message: String(thrown) })
  })
