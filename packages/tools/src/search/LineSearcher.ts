/**
 * Lines of many files that match a pattern, found by a process of its own: a pattern that backtracks without end
 * cannot be stopped inside this one. This is the layer for Bun running as that process. What a pattern is and how
 * a line is shown is `LineSearch`; which files are searched is `SearchFilesTool`.
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import * as FileKind from "../files/FileKind.ts"
import type * as FolderEntries from "../files/FolderEntries.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import { because, type CallFailed } from "../tool/CallFailure.ts"
import * as LineSearch from "./LineSearch.ts"

/** A file that takes longer is given up on. */
const stalled = "5 seconds"

/**
 * A line without a match that takes this long is one the engine itself has given up on; unless the machine was busy,
 * so that it is tried again with the time that it really takes.
 */
const slowMillis = 200

interface FileMatches {
  /** Place in the list of files. */
  readonly file: number
  readonly matches: ReadonlyArray<LineSearch.Match>
}

interface SearchEnd {
  /** Files of which at least one line was given up on. */
  readonly stuck: number
  /** False: the time was up before the last file. */
  readonly complete: boolean
}

/** Runs apart from everything else here: it gets a pattern and paths, and answers once for every path. */
const program = `
const fs = require("node:fs")
const write = (text) => {
  for (let bytes = Buffer.from(text); bytes.length > 0; )
    try { bytes = bytes.subarray(fs.writeSync(1, bytes)) } catch (error) { if (error.code !== "EAGAIN") throw error }
}
const { source, flags, cut, sniff, slow, files } = JSON.parse(fs.readFileSync(0, "utf8"))
const pattern = new RegExp(source, flags)
let isSlow = false
const isSlowIn = (line) => {
  const before = process.cpuUsage()
  pattern.test(line)
  return process.cpuUsage(before).user > slow * 500
}
const search = (file) => {
  const bytes = fs.readFileSync(typeof file === "string" ? file : Buffer.from(file.bytes, "base64"))
  const head = bytes.subarray(0, sniff)
  if (bytes.length === 0 || head.includes(0) || head.subarray(0, 5).toString("latin1") === "%PDF-") return []
  const text = new TextDecoder("utf-8").decode(bytes)
  const found = []
  ;(text.endsWith("\\n") ? text.slice(0, -1) : text).split("\\n").forEach((raw, at) => {
    const line = raw.endsWith("\\r") ? raw.slice(0, -1) : raw
    const began = performance.now()
    if (pattern.test(line)) found.push([at + 1, line.slice(0, cut)])
    else if (performance.now() - began > slow) isSlow ||= isSlowIn(line)
  })
  return found
}
for (const [file, path] of files) {
  let found = []
  isSlow = false
  try { found = search(path) } catch (error) { if (typeof error.code !== "string") throw error }
  write(JSON.stringify([file, found, isSlow]) + "\\n")
}
`

/** The services of a layer, bound once. */
export const make = Effect.fnUntraced(function* ({ env }: BuiltinSettings) {
  const spawner = yield* ChildProcessSpawner

  /** Searches files in their order, until one of them stalls; gives the number of those that are done. */
  const pass = (
    pattern: RegExp,
    files: ReadonlyArray<FolderEntries.AnyPath>,
    from: number,
    found: (matches: FileMatches) => void,
    slow: Array<number>
  ) =>
    Effect.gen(function* () {
      let done = from
      const input = JSON.stringify({
        source: pattern.source,
        flags: pattern.flags,
        cut: LineSearch.maxLineChars + 1,
        slow: slowMillis,
        sniff: FileKind.sniffBytes,
        files: files
          .slice(from)
          .map((file, at) => [from + at, typeof file === "string" ? file : { bytes: Base64.encode(file) }])
      })
      const handle = yield* spawner.spawn(
        ChildProcess.make(process.execPath, ["-e", program], {
          // A compiled executable is Bun itself with this.
          env: { PATH: env.PATH, BUN_BE_BUN: "1" },
          stdin: Stream.make(new TextEncoder().encode(input)),
          stderr: "ignore",
          // It has nothing to tidy up.
          killSignal: "SIGKILL"
        })
      )
      yield* handle.stdout.pipe(
        Stream.timeout(stalled),
        Stream.decodeText,
        Stream.splitLines,
        Stream.runForEach((line) =>
          Effect.sync(() => {
            const [file, rows, isSlow] = JSON.parse(line) as [
              number,
              ReadonlyArray<[number, string]>,
              boolean
            ]
            done = file + 1
            const matches = rows.map(([number, text]) => ({ line: number, text: LineSearch.cut(text) }))
            if (isSlow) slow.push(file)
            if (matches.length > 0) found({ file, matches })
          })
        )
      )
      return done
    }).pipe(Effect.scoped)

  /** Calls `found` for files with matches, in order. Searches for `milliseconds` at most. */
  return Effect.fn("LineSearcher.search")(function* (
    pattern: RegExp,
    files: ReadonlyArray<FolderEntries.AnyPath>,
    milliseconds: number,
    found: (matches: FileMatches) => void
  ): Effect.fn.Return<SearchEnd, CallFailed> {
    const stuck: Array<number> = []
    const all = Effect.gen(function* () {
      for (let at = 0; at < files.length; ) {
        const done = yield* pass(pattern, files, at, found, stuck)
        if (done < files.length) stuck.push(done)
        at = Math.max(done, at) + (done < files.length ? 1 : 0)
      }
      return true
    }).pipe(Effect.mapError(because("cannot search")))
    const complete = yield* Effect.timeoutOrElse(all, {
      duration: milliseconds,
      orElse: () => Effect.succeed(false)
    })
    return { stuck: stuck.length, complete }
  })
})
