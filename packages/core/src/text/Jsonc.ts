/**
 * JSON as people write it: comments, trailing commas, a byte order mark, an empty file. Gives the value with the
 * place of every key, so that a message can name the line. Which keys there are is its reader's; changing a text is
 * `JsoncEdit`.
 *
 * Pure. What `JSON.parse` takes, this takes, with the same value.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser"

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

export interface JsoncDocument {
  readonly value: Schema.Json
  /** The text holds blanks and comments only; its value is `{}`. */
  readonly empty: boolean
  /** The place of the key, or of the list item. */
  readonly placeOf: (path: KeyPath) => Place | undefined
  /** Keys that stand twice in one object, at their later place: the last counts. */
  readonly duplicates: ReadonlyArray<Duplicate>
}

/** Deeper nesting than any settings need; keeps a hostile text from exhausting the stack. */
const maxDepth = 500

/** By the names of the parser's error codes. */
const withinToken: Partial<Record<string, string>> = {
  UnexpectedEndOfString: "a text is not closed",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidNumberFormat: "a number is not complete",
  InvalidUnicode: "a text holds a wrong \\u escape",
  InvalidEscapeCharacter: "a text holds a wrong escape",
  InvalidCharacter: "a text holds a control character that is not escaped",
  InvalidCommentToken: "a comment, which JSON does not have"
}

/** Thrown within `read` only, and turned into its failure. */
class Fault extends Error {
  constructor(
    message: string,
    readonly at: number
  ) {
    super(message)
  }
}

/** A container that is open; `key`: whose value is being read. */
interface Frame {
  readonly into: Record<string, Schema.Json> | Array<Schema.Json>
  key: string | undefined
}

/** A character with its code where it cannot be seen. */
const shown = (character: string): string =>
  /[\p{C}\p{Z}]/u.test(character)
    ? `the character U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`
    : JSON.stringify(character)

class Reading implements JSONVisitor {
  value: Schema.Json | undefined
  /** Offsets by path. */
  readonly keys = new Map<string, number>()
  readonly duplicates: Array<{ readonly path: KeyPath; readonly at: number }> = []
  private readonly frames: Array<Frame> = []
  /** What should stand next. */
  private wanted = "a value"

  constructor(
    private readonly text: string,
    private readonly blanks: boolean
  ) {}

  get path(): KeyPath {
    return this.frames.flatMap(({ key }) => (key === undefined ? [] : [key]))
  }

  private readonly item = (at: number): void => {
    if (Array.isArray(this.frames.at(-1)?.into)) this.keys.set(JSON.stringify(this.path), at)
  }

  private readonly put = (value: Schema.Json): void => {
    const top = this.frames.at(-1)
    if (top === undefined) this.value = value
    else if (Array.isArray(top.into)) top.into.push(value)
    // An own property also for "__proto__".
    else
      Object.defineProperty(top.into, top.key as string, {
        value,
        writable: true,
        enumerable: true,
        configurable: true
      })
    this.wanted = top === undefined ? "the end of the file" : Array.isArray(top.into) ? ", or ]" : ", or }"
  }

  private readonly open = (at: number, into: Frame["into"]): void => {
    this.item(at)
    this.frames.push({ into, key: Array.isArray(into) ? "0" : undefined })
    if (this.frames.length > maxDepth) throw new Fault(`nested deeper than ${maxDepth} levels`, at)
  }

  private readonly close = (): void => this.put((this.frames.pop() as Frame).into)

  onObjectBegin = (at: number): void => {
    this.open(at, {})
    this.wanted = "a key in double quotes or }"
  }

  onArrayBegin = (at: number): void => {
    this.open(at, [])
    this.wanted = "a value or ]"
  }

  // Both are told at the end of the text too, before the error that says so.
  onObjectEnd = (at: number): void => {
    if (this.text[at] === "}") this.close()
  }

  onArrayEnd = (at: number): void => {
    if (this.text[at] === "]") this.close()
  }

  onObjectProperty = (key: string, at: number): void => {
    const top = this.frames.at(-1) as Frame
    top.key = key
    const { path } = this
    if (Object.hasOwn(top.into, key)) this.duplicates.push({ path, at })
    this.keys.set(JSON.stringify(path), at)
    this.wanted = ":"
  }

  onLiteralValue = (value: Schema.Json, at: number): void => {
    this.item(at)
    this.put(value)
  }

  onSeparator = (character: string): void => {
    const top = this.frames.at(-1)
    if (top === undefined) return
    const list = Array.isArray(top.into)
    if (character === ",") top.key = list ? String(top.into.length) : undefined
    this.wanted = character === ":" ? "a value" : list ? "a value or ]" : "a key in double quotes or }"
  }

  onError = (code: ParseErrorCode, at: number, length: number): void => {
    const name = printParseErrorCode(code)
    const found = this.text.slice(at, at + length)
    // More than JSON's own: a text from a web page may hold a blank that does not break.
    if (this.blanks && name === "InvalidSymbol" && found.trim() === "") return
    const character = [...this.text.slice(at, at + 2)][0]
    throw new Fault(
      withinToken[name] ??
        (character === undefined
          ? `the file ends where ${this.wanted} is missing`
          : `${shown(character)} where ${this.wanted} should stand`),
      at
    )
  }
}

const placeIn = (text: string, at: number): Place => {
  const before = text.slice(0, at)
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") }
}

const read = (given: string, strict: boolean): Result.Result<JsoncDocument, JsoncError> => {
  const text = given.replace(/^\uFEFF/, "")
  const reading = new Reading(text, !strict)
  try {
    visit(text, reading, {
      disallowComments: strict,
      allowTrailingComma: !strict,
      allowEmptyContent: !strict
    })
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return Result.fail({ message: fault.message, path: reading.path, ...placeIn(text, fault.at) })
  }
  return Result.succeed({
    value: reading.value === undefined ? {} : reading.value,
    empty: reading.value === undefined,
    placeOf: (path) => {
      const at = reading.keys.get(JSON.stringify(path))
      return at === undefined ? undefined : placeIn(text, at)
    },
    duplicates: reading.duplicates.map(({ path, at }) => ({ path, ...placeIn(text, at) }))
  })
}

/** An empty text, or one of blanks and comments only, is `{}`. */
export const parse = (text: string): Result.Result<JsoncDocument, JsoncError> => read(text, false)

/** JSON and nothing more: no comment, no trailing comma, no empty text. A byte order mark is skipped. */
export const parseStrict = (text: string): Result.Result<JsoncDocument, JsoncError> => read(text, true)
