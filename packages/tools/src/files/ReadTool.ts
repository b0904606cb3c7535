/**
 * `read`: a text file by numbered lines, an image as an image, anything else by its type and size. Lines and
 * limits are `LineWindow`; what is no plain file stops in `PlainFile`; secrets in `SecretFiles`.
 */
import { type Tool, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { because, failed } from "../tool/CallFailure.ts"
import * as ShownImage from "../tool/ShownImage.ts"
import * as FileKind from "./FileKind.ts"
import * as LineWindow from "./LineWindow.ts"
import * as PdfText from "./PdfText.ts"
import * as PlainFile from "./PlainFile.ts"
import { SecretFiles } from "./SecretFiles.ts"
import { SeenFiles } from "./SeenFiles.ts"
import * as ToolPath from "./ToolPath.ts"
import * as Utf8Text from "./Utf8Text.ts"

/** A larger file is read in part only. */
const maxWholeBytes = 50 * 1024 * 1024

const Input = Schema.Struct({
  path: Schema.optionalKey(
    Schema.String.annotate({
      description: "Required. The file: absolute, starting with ~, or relative to the workspace."
    })
  ),
  location: Schema.optionalKey(Schema.String.annotate({ description: "Another name for path." })),
  offset: Schema.optionalKey(
    Schema.Int.annotate({ description: "First line, from 1. Negative counts from the end: -1 is the last." })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "Lines at most; 2000 if absent."
    })
  ),
  pages: Schema.optionalKey(
    Schema.String.annotate({ description: "Pages of a PDF: 3, 2-8 or 10-; 20 at most in one call." })
  )
})
type Input = typeof Input.Type

const tooLongNotice = (file: string, { number, chars }: LineWindow.Line): string =>
  `[line ${number} has ${chars} characters, too long to show. See a part of it with bash: sed -n '${number}p' '${file}' | cut -c1-2000]`

/** The window and what to do to see more. */
const show = (file: string, window: LineWindow.Window, total: number | undefined): ToolResult.ToolResult => {
  const last = window.last === 0 ? window.first - 1 : window.last
  const notices: Array<string> = []
  if (window.tooLong !== undefined) notices.push(tooLongNotice(file, window.tooLong))
  const next = window.tooLong === undefined ? last + 1 : window.tooLong.number + 1
  if (total === undefined) notices.push(`[the file goes on; continue with offset=${next}]`)
  else if (total > last && next <= total)
    notices.push(`[${total - next + 1} more lines of ${total}; continue with offset=${next}]`)
  const text = [...(window.text === "" && window.last === 0 ? [] : [window.text]), ...notices].join("\n")
  return ToolResult.ok(text, {
    structured: { path: file, first: window.first, last, ...(total === undefined ? {} : { total }) }
  })
}

const showText = (file: string, text: string, { offset = 1, limit = LineWindow.defaultLines }: Input) => {
  const lines: Array<LineWindow.Line> = []
  const split = LineWindow.splitter((line) => lines.push(line))
  split.push(text)
  const total = split.end()
  if (total === 0)
    return Effect.succeed(ToolResult.ok("[the file is empty]", { structured: { path: file, total: 0 } }))
  const first = offset < 0 ? Math.max(1, total + offset + 1) : Math.max(1, offset)
  if (first > total) return failed(`offset ${offset} is past the end: ${file} has ${total} lines`)
  const window = LineWindow.collector(first, limit)
  for (const line of lines) window.add(line)
  return Effect.succeed(show(file, window.window(), total))
}

/** A window of a file too large to be held, read no further than needed. */
const showPart = Effect.fnUntraced(function* (file: string, offset: number, limit: number) {
  const fs = yield* FileSystem.FileSystem
  const window = LineWindow.collector(offset, limit)
  const split = LineWindow.splitter(window.add)
  const decoder = new TextDecoder("utf-8")
  let bytes = 0
  yield* fs.stream(file, { chunkSize: 256 * 1024 }).pipe(
    Stream.takeUntil((chunk) => {
      bytes += chunk.length
      split.push(decoder.decode(chunk, { stream: true }))
      return window.isFull() || bytes >= maxWholeBytes
    }),
    Stream.runDrain,
    Effect.mapError(because(`cannot read ${file}`))
  )
  if (!window.isFull() && bytes >= maxWholeBytes && window.window().last === 0)
    return yield* failed(
      `line ${offset} of ${file} lies beyond its first ${FileKind.size(maxWholeBytes)}; use bash: sed -n '${offset},${offset + limit - 1}p'`
    )
  return show(file, window.window(), undefined)
})

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const secrets = yield* SecretFiles
  const seen = yield* SeenFiles
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const head = (file: string) =>
    fs.stream(file, { bytesToRead: FileKind.sniffBytes }).pipe(
      Stream.runFold(
        () => new Uint8Array(),
        (all, chunk) => {
          const both = new Uint8Array(all.length + chunk.length)
          both.set(all)
          both.set(chunk, all.length)
          return both
        }
      ),
      Effect.mapError(because(`cannot read ${file}`))
    )

  const run = Effect.fn("ReadTool.run")(function* (input: Input, call: Tool.ToolContext) {
    const given = input.path ?? input.location
    if (given === undefined || given === "")
      return yield* failed(
        Object.keys(input).length === 0
          ? "read was called with no arguments at all; it takes path, offset, limit, pages"
          : 'read: "path" is required'
      )
    const file = ToolPath.absolute(path, given, call.workspace, settings.home)
    yield* secrets.guard(file)
    const info = yield* PlainFile.stat(file)
    const bytes = Number(info.size)
    const kind = FileKind.detect(yield* head(file))
    if (kind._tag === "Pdf") {
      if (bytes > maxWholeBytes)
        return yield* failed(`${file} is a PDF of ${FileKind.size(bytes)}, too large to read; split it first`)
      const whole = yield* Effect.mapError(fs.readFile(file), because(`cannot read ${file}`))
      return yield* PdfText.read(file, whole, input.pages)
    }
    if (input.pages !== undefined) return yield* failed(`"pages" is for PDF files; ${file} is none`)
    if (kind._tag === "Binary")
      return yield* failed(`${file} is a ${kind.name} of ${FileKind.size(bytes)}; it has no text to show`)
    if (kind._tag === "Image") {
      if (ShownImage.isTooLarge(bytes))
        return ToolResult.ok(`${ShownImage.notice(kind.mediaType, bytes, file)}\n[too large to be shown]`)
      const data = yield* Effect.mapError(fs.readFile(file), because(`cannot read ${file}`))
      return ShownImage.result(kind.mediaType, data, file)
    }
    if (bytes > maxWholeBytes) {
      if (input.limit === undefined || (input.offset ?? 1) < 1)
        return yield* failed(
          `${file} is a text of ${FileKind.size(bytes)}, too large to read whole; give offset (from 1) and limit, or use search_files`
        )
      return yield* showPart(file, input.offset ?? 1, input.limit)
    }
    const data = yield* Effect.mapError(fs.readFile(file), because(`cannot read ${file}`))
    const text = Utf8Text.decode(data)
    if (text === undefined)
      return yield* failed(
        `${file} is not UTF-8 text (${FileKind.size(bytes)}); convert it first, as with bash: iconv -f ENCODING -t UTF-8`
      )
    const target = (yield* ToolPath.real(file)) ?? file
    yield* seen.saw(call.sessionId, target, data)
    return yield* showText(file, text.replace(/^\ufeff/, ""), input)
  })

  return BuiltinTool.make({
    name: "read",
    description:
      "Reads a file. Text comes as numbered lines `N|text`; the number and the bar are not part of the file. Continue a long file with offset. Images are shown; of a PDF the text of its pages.",
    input: Input,
    role: "read-file",
    parallelSafe: true,
    mildest: BuiltinTool.reads,
    judge: (input, workspace) =>
      Effect.map(
        secrets.holds(ToolPath.absolute(path, input.path ?? input.location ?? "", workspace, settings.home)),
        (secret): Tool.CallEffect =>
          secret
            ? { _tag: "Never", reason: "the file holds secrets and is closed to tools" }
            : BuiltinTool.reads
      ),
    run: (input, call) => Effect.provideContext(run(input, call), context)
  })
})
