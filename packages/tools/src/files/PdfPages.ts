/**
 * The text of a PDF's pages by the unpdf library, and which pages a text such as `2-8` means. Pure. It is done in a
 * thread of its own (`ThreadMain`); what is said of the answer is `PdfText`.
 */

import * as Result from "effect/Result"
import { getDocumentProxy } from "unpdf"
import * as Thrown from "../tool/Thrown.ts"

/** Pages given in one call. */
const maxPages = 20

interface PageRange {
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

export type PdfPages =
  | ({ readonly _tag: "Text"; readonly texts: ReadonlyArray<string>; readonly total: number } & PageRange)
  /** `pages` means no pages of this PDF. */
  | { readonly _tag: "NoSuchPages"; readonly message: string }
  | { readonly _tag: "Locked" }
  | { readonly _tag: "Damaged"; readonly message: string }

/** A gap that is wider stands between columns. In points. */
const columnGap = 18

interface Piece {
  readonly str?: string
  readonly width?: number
  readonly hasEOL?: boolean
}

const textOf = (pieces: ReadonlyArray<Piece>): string =>
  pieces
    .map(
      ({ hasEOL, str = "", width = 0 }) =>
        (str === " " && width > columnGap ? "   " : str) + (hasEOL ? "\n" : "")
    )
    .join("")
    .replace(/[^\S\n]+$/gm, "")
    .trim()

const nameOf = (cause: unknown): string => (cause instanceof Error ? cause.name : "")

/** Takes the bytes: they are of no use afterwards. */
export const read = async (bytes: Uint8Array, pages: string | undefined): Promise<PdfPages> => {
  // Nothing of a document is run, and nothing is printed.
  const options = { verbosity: 0, isEvalSupported: false, disableFontFace: true, enableXfa: false }
  try {
    const document = await getDocumentProxy(bytes, options)
    const total = document.numPages
    if (total < 1) return { _tag: "Damaged", message: "it has no pages" }
    const range = parsePages(pages, total)
    if (Result.isFailure(range)) return { _tag: "NoSuchPages", message: range.failure }
    const texts: Array<string> = []
    for (let page = range.success.first; page <= range.success.last; page++)
      texts.push(
        await document
          .getPage(page)
          .then((one) => one.getTextContent())
          .then(
            ({ items }) => textOf(items as ReadonlyArray<Piece>),
            (cause: unknown) => `[this page cannot be read: ${Thrown.messageOf(cause)}]`
          )
      )
    return { _tag: "Text", texts, total, ...range.success }
  } catch (cause) {
    if (nameOf(cause) === "PasswordException") return { _tag: "Locked" }
    return { _tag: "Damaged", message: Thrown.messageOf(cause) }
  }
}
