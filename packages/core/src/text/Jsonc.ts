/**
 * JSON as people write it: comments, trailing commas, a byte order mark, an empty file. Gives the value with the
 * place of every key, so that a message can name the line. Which keys there are is its reader's.
 *
 * Pure. What `JSON.parse` takes, this takes, with the same value.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** Both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface JsoncError extends Place {
  readonly message: string
  /** The innermost key at whose value the fault stands. */
  readonly path: KeyPath
}

/** The keys that lead to a value, list items by their number; empty: the whole. */
export type KeyPath = ReadonlyArray<string>

export interface Duplicate extends Place {
  readonly path: KeyPath
}

/** Where a value stands: offsets in the text as it was given, the end excluded. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface JsoncDocument {
  readonly value: Schema.Json
  /** The place of the key, or of the list item. */
  readonly placeOf: (path: KeyPath) => Place | undefined
  /** Of the value; that of the whole is absent when the file is empty. */
  readonly spanOf: (path: KeyPath) => Span | undefined
  /** Keys that stand twice in one object, at their later place: the last counts. */
  readonly duplicates: ReadonlyArray<Duplicate>
}

/** Deeper nesting than any settings need; keeps a hostile file from exhausting the stack. */
const maxDepth = 500

const literals = [
  ["true", true],
  ["false", false],
  ["null", null]
] as const

// More than JSON's own: a text from a web page may hold a blank that does not break.
const blankPattern = /[\s\uFEFF]*/y
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const stringPattern = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy

/** Thrown within `parse` only, and turned into its failure. */
class Fault extends Error {
  constructor(
    message: string,
    readonly at: number,
    readonly path: KeyPath
  ) {
    super(message)
  }
}

class Reader {
  at: number
  readonly keys = new Map<string, number>()
  readonly spans = new Map<string, Span>()
  readonly duplicates: Array<{ readonly path: KeyPath; readonly at: number }> = []
  private readonly path: Array<string> = []

  constructor(readonly text: string) {
    this.at = text.startsWith("\uFEFF") ? 1 : 0
  }

  place(at: number): Place {
    const before = this.text.slice(this.text.startsWith("\uFEFF") ? 1 : 0, at)
    return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") }
  }

  fault(message: string, at = this.at): never {
    throw new Fault(message, at, [...this.path])
  }

  unexpected(wanted: string): never {
    const found = [...this.text.slice(this.at, this.at + 2)][0]
    return this.fault(
      found === undefined
        ? `the file ends where ${wanted} is missing`
        : `${JSON.stringify(found)} where ${wanted} should stand`
    )
  }

  /** Skips blanks and comments. */
  blanks(): void {
    for (;;) {
      this.match(blankPattern)
      if (this.text.startsWith("//", this.at)) {
        const end = this.text.indexOf("\n", this.at)
        this.at = end < 0 ? this.text.length : end
      } else if (this.text.startsWith("/*", this.at)) {
        const end = this.text.indexOf("*/", this.at + 2)
        if (end < 0) this.fault("a comment is not closed")
        this.at = end + 2
      } else return
    }
  }

  take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  value(depth: number): Schema.Json {
    const from = this.at
    const value = this.bare(depth)
    this.spans.set(JSON.stringify(this.path), { from, to: this.at })
    return value
  }

  bare(depth: number): Schema.Json {
    if (depth > maxDepth) this.fault(`nested deeper than ${maxDepth} levels`)
    if (this.take("{")) return this.object(depth)
    if (this.take("[")) return this.list(depth)
    if (this.text[this.at] === '"') return this.string()
    for (const [word, value] of literals)
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    const number = this.match(numberPattern)
    return number === undefined ? this.unexpected("a value") : Number(number)
  }

  string(): string {
    const found = this.match(stringPattern)
    return found === undefined
      ? this.fault("a text is not closed or holds a wrong escape")
      : JSON.parse(found)
  }

  object(depth: number): Schema.Json {
    const out: Record<string, Schema.Json> = {}
    for (this.blanks(); !this.take("}"); this.blanks()) {
      if (this.text[this.at] !== '"') this.unexpected("a key in double quotes or }")
      const at = this.at
      const key = this.string()
      this.path.push(key)
      if (Object.hasOwn(out, key)) this.duplicates.push({ path: [...this.path], at })
      this.keys.set(JSON.stringify(this.path), at)
      this.blanks()
      if (!this.take(":")) this.unexpected(":")
      this.blanks()
      const value = this.value(depth + 1)
      // An own property also for "__proto__".
      Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true })
      this.separate("}")
      this.path.pop()
    }
    return out
  }

  list(depth: number): Schema.Json {
    const out: Array<Schema.Json> = []
    for (this.blanks(); !this.take("]"); this.blanks()) {
      this.path.push(String(out.length))
      this.keys.set(JSON.stringify(this.path), this.at)
      out.push(this.value(depth + 1))
      this.separate("]")
      this.path.pop()
    }
    return out
  }

  /** After an item: a comma, or the end, which the loop takes. */
  separate(end: string): void {
    this.blanks()
    if (!this.take(",") && this.text[this.at] !== end) this.unexpected(`, or ${end}`)
  }
}

/** An empty text, or one of blanks and comments only, is `{}`. */
export const parse = (text: string): Result.Result<JsoncDocument, JsoncError> => {
  const reader = new Reader(text)
  try {
    reader.blanks()
    const value = reader.at === reader.text.length ? {} : reader.value(0)
    reader.blanks()
    if (reader.at < reader.text.length) reader.unexpected("the end of the file")
    return Result.succeed({
      value,
      placeOf: (path) => {
        const at = reader.keys.get(JSON.stringify(path))
        return at === undefined ? undefined : reader.place(at)
      },
      spanOf: (path) => reader.spans.get(JSON.stringify(path)),
      duplicates: reader.duplicates.map(({ path, at }) => ({ path, ...reader.place(at) }))
    })
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return Result.fail({ message: fault.message, path: fault.path, ...reader.place(fault.at) })
  }
}
