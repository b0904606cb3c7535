/**
 * Output that may have no end: its last part in memory, the whole in a file once it is too much to show. Bounded
 * in memory and on disk; the text is UTF-8 with whole characters, as a terminal would show it, secrets masked. What is
 * said of it is `BashResult`, what a terminal would show is `TerminalText`.
 */
import { Excerpt, SecretStream } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { CallFailed } from "../tool/CallFailure.ts"
import { because } from "../tool/CallFailure.ts"
import * as TerminalText from "./TerminalText.ts"

/** More than this is shown in part. */
const maxShownChars = 50_000
const maxShownLines = 2000
/** A part leaves room for its notice. */
const partChars = 24_000
/** As much of the end is looked at for its last line. */
const maxLineChars = 2000
/** The file of an endless output ends here. */
const maxFileChars = 200_000_000

export interface Captured {
  /** All of it, or its last part: whole characters, lines as they came. */
  readonly text: string
  readonly chars: number
  readonly lines: number
  /** Where the whole is; `undefined`: `text` is the whole. */
  readonly file: string | undefined
  /** True: even the file holds the beginning only. */
  readonly fileIsCut: boolean
}

export interface OutputCapture {
  readonly push: (bytes: Uint8Array) => Effect.Effect<void, CallFailed>
  /** Nothing follows: an unfinished character or secret is given out. */
  readonly end: Effect.Effect<void, CallFailed>
  readonly captured: Effect.Effect<Captured, CallFailed>
  /** What came since the last `fresh`, its last part if that is too much. A line that has begun counts. */
  readonly fresh: Effect.Effect<Captured, CallFailed>
  /** The last line that is not blank, as far as it has come; nothing is taken out. */
  readonly lastLine: () => string
}

const countLines = (text: string): number => text.split("\n").length - 1

const lastLines = (text: string, count: number): string => {
  let at = text.endsWith("\n") ? text.length - 1 : text.length
  for (let left = count; left > 0; left--) {
    at = text.lastIndexOf("\n", at - 1)
    if (at < 0) return text
  }
  return text.slice(at + 1)
}

const lastPart = (text: string): string => Excerpt.tail(lastLines(text, maxShownLines), partChars)

const isTooMuch = (chars: number, lines: number): boolean => chars > maxShownChars || lines > maxShownLines

/** Text of one span of the output, as far as it is kept. */
class Span {
  text = ""
  chars = 0
  lines = 0

  add(text: string): void {
    this.chars += text.length
    this.lines += countLines(text)
    this.text += text
    if (this.text.length > 2 * maxShownChars) this.text = Excerpt.tail(this.text, maxShownChars)
  }
}

/** The file is made in `folder` when first needed, and closed with the scope. */
export const make = Effect.fnUntraced(function* (folder: string, secrets: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const scope = yield* Effect.scope
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const encoder = new TextEncoder()
  const terminal = TerminalText.make()
  const mask = SecretStream.make(secrets)
  // Whoever reads takes out what is there while more may come in.
  const turn = yield* Semaphore.make(1)
  const all = new Span()
  let unseen = new Span()
  let file: { readonly name: string; readonly handle: FileSystem.File } | undefined
  let inFile = 0

  const open = Effect.gen(function* () {
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const name = path.join(folder, `output-${crypto.randomUUID()}.txt`)
    const handle = yield* fs.open(name, { flag: "wx", mode: 0o600 })
    return { name, handle }
  }).pipe(
    Effect.provideService(Scope.Scope, scope),
    Effect.mapError(because(`cannot save the whole output in ${folder}`))
  )

  const save = Effect.fnUntraced(function* (handle: FileSystem.File, text: string) {
    if (inFile >= maxFileChars) return
    const piece = Excerpt.head(text, maxFileChars - inFile)
    inFile += text.length
    yield* Effect.mapError(handle.writeAll(encoder.encode(piece)), because("cannot save the whole output"))
  })

  const take = Effect.fnUntraced(function* (text: string) {
    if (text === "") return
    // Until it is too much, everything is still in memory.
    const before = all.text
    all.add(text)
    unseen.add(text)
    if (file !== undefined) return yield* save(file.handle, text)
    if (!isTooMuch(all.chars, all.lines)) return
    file = yield* open
    yield* save(file.handle, before)
    yield* save(file.handle, text)
  })

  const show = (span: Span): Captured => {
    const part = isTooMuch(span.chars, span.lines)
    return {
      text: part ? lastPart(span.text) : span.text,
      chars: span.chars,
      lines: span.lines,
      file: part ? file?.name : undefined,
      fileIsCut: inFile > maxFileChars
    }
  }

  const give = (text: () => string) => turn.withPermit(Effect.suspend(() => take(text())))
  const flush = give(() => mask.push(terminal.flush()))
  return {
    push: (bytes) => give(() => mask.push(terminal.push(decoder.decode(bytes, { stream: true })))),
    end: give(() => mask.push(terminal.push(decoder.decode()) + terminal.end()) + mask.end()),
    captured: Effect.map(flush, () => show(all)),
    fresh: Effect.map(flush, () => {
      const span = unseen
      unseen = new Span()
      return show(span)
    }),
    lastLine: () => {
      const end = Excerpt.tail(all.text, maxLineChars) + mask.peek(terminal.line())
      return end.trimEnd().split("\n").at(-1) ?? ""
    }
  } satisfies OutputCapture
})
