/** What `read` answers for a PDF. Its text is `PdfPages`, found in a thread of its own. */
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as WorkThread from "../thread/WorkThread.ts"
import { CallFailed, failed } from "../tool/CallFailure.ts"
import type { PdfPages } from "./PdfPages.ts"

const present = (file: string, { first, last, texts, total }: Extract<PdfPages, { _tag: "Text" }>) => {
  const structured = { path: file, first, last, total }
  const rest =
    last < total ? `\n[pages ${first} to ${last} of ${total}; continue with pages=${last + 1}-]` : ""
  if (texts.every((text) => text === ""))
    return ToolResult.ok(`[pages ${first} to ${last} of ${total} hold no text, only pictures]${rest}`, {
      structured
    })
  const rows = texts.map(
    (text, at) => `[page ${first + at} of ${total}]\n${text === "" ? "[no text]" : text}`
  )
  return ToolResult.ok(rows.join("\n\n") + rest, { structured })
}

/** `pages`: `3`, `2-8`, `10-`, or the first twenty. */
export const read = Effect.fn("PdfText.read")(function* (
  file: string,
  bytes: Uint8Array,
  pages: string | undefined
) {
  const found = yield* Effect.mapError(
    WorkThread.run("pdf", { bytes, pages }),
    ({ message }) => new CallFailed({ message: `the text of ${file} cannot be read: ${message}` })
  )
  switch (found._tag) {
    case "Text":
      return present(file, found)
    case "NoSuchPages":
      return yield* failed(`${file}: ${found.message}`)
    case "Locked":
      return yield* failed(`${file} is a PDF that opens with a password only; its text cannot be read`)
    case "Damaged":
      return yield* failed(`${file} is a damaged PDF: ${found.message}`)
  }
})
