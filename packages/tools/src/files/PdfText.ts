/**
 * The text of a PDF's pages, by the `pdftotext` program where it is installed. Which pages a text such as `2-8`
 * means is `parsePages`, pure.
 */
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import { CallFailed, failed } from "../tool/CallFailure.ts"

/** Pages given in one call. */
const maxPages = 20

export interface PageRange {
  readonly first: number
  readonly last: number
}

/** `3`, `2-8`, `10-`; absent: from the first. Twenty pages at most, none past the end. */
export const parsePages = (pages: string | undefined, total: number): Result.Result<PageRange, string> => {
  const [, from, dash, to] = /^\s*(\d+)\s*(?:(-)\s*(\d+)?)?\s*$/.exec(pages ?? "1-") ?? []
  if (from === undefined) return Result.fail(`pages "${pages}" is not a page or a range such as 2-8 or 10-`)
  const first = Number(from)
  const end = dash === undefined ? first : to === undefined ? total : Number(to)
  if (first < 1 || end < first) return Result.fail(`pages "${pages}" is not a range from 1 up`)
  if (first > total) return Result.fail(`pages "${pages}" is past the end: the PDF has ${total} pages`)
  return Result.succeed({ first, last: Math.min(end, total, first + maxPages - 1) })
}

export const make = Effect.fnUntraced(function* ({ env }: BuiltinSettings) {
  const spawner = yield* ChildProcessSpawner
  const run = (command: string, args: ReadonlyArray<string>, file: string) =>
    spawner
      .string(
        ChildProcess.make(command, args, {
          env,
          stdin: "ignore",
          stderr: "ignore",
          forceKillAfter: "1 second"
        })
      )
      .pipe(
        Effect.mapError(
          () =>
            new CallFailed({
              message: `${file} is a PDF; its text needs the program ${command} (poppler-utils) on PATH, and a PDF that it can read`
            })
        )
      )

  return Effect.fn("PdfText.read")(function* (file: string, pages: string | undefined) {
    const facts = yield* run("pdfinfo", [file], file)
    const total = Number(/^Pages:\s*(\d+)/m.exec(facts)?.[1] ?? 0)
    if (total === 0) return yield* failed(`${file} is a PDF without pages, or a damaged one`)
    const range = parsePages(pages, total)
    if (Result.isFailure(range)) return yield* failed(range.failure)
    const { first, last } = range.success
    const text = yield* run("pdftotext", ["-layout", "-f", `${first}`, "-l", `${last}`, file, "-"], file)
    const more =
      last < total ? `\n[pages ${first} to ${last} of ${total}; continue with pages=${last + 1}-]` : ""
    return ToolResult.ok(
      text.trim() === ""
        ? `[pages ${first} to ${last} of ${total} hold no text, only pictures]`
        : text + more,
      { structured: { path: file, first, last, total } }
    )
  })
})
