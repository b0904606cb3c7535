/**
 * A text with its line ends set aside, so that it can be edited with `\n` alone and put back byte for byte. Pure.
 */

export interface Document {
  readonly bom: boolean
  /** The text, every line end as `\n`. */
  readonly text: string
  /** The line end at each `\n` of `text`, in order. */
  readonly ends: ReadonlyArray<"\n" | "\r\n">
}

export const parse = (raw: string): Document => {
  const bom = raw.startsWith("\ufeff")
  const body = bom ? raw.slice(1) : raw
  const ends = [...body.matchAll(/\r?\n/g)].map(([end]) => (end === "\r\n" ? "\r\n" : "\n") as "\n" | "\r\n")
  return { bom, text: body.replaceAll("\r\n", "\n"), ends }
}

export const toUnix = (text: string): string => text.replaceAll("\r\n", "\n")

const newlines = (text: string): number => text.split("\n").length - 1

/** Replaces parts of the text and gives the raw text back. New lines take the ends of those they replace or follow. */
export const replace = (
  document: Document,
  parts: ReadonlyArray<{ readonly start: number; readonly end: number; readonly text: string }>
): string => {
  const { text, ends } = document
  let at = 0
  let line = 0
  let raw = document.bom ? "\ufeff" : ""
  const put = (piece: string, own: (index: number) => "\n" | "\r\n") => {
    let index = 0
    raw += piece.replace(/\n/g, () => own(index++))
  }
  const keep = (end: number) => {
    const piece = text.slice(at, end)
    const from = line
    put(piece, (index) => ends[from + index] ?? "\n")
    line += newlines(piece)
    at = end
  }
  for (const part of parts) {
    keep(part.start)
    const replaced = newlines(text.slice(part.start, part.end))
    const from = line
    const neighbour = ends[from + Math.max(0, replaced - 1)] ?? ends[from - 1] ?? ends.at(-1) ?? "\n"
    put(part.text, (index) => (index < replaced ? (ends[from + index] ?? neighbour) : neighbour))
    line += replaced
    at = part.end
  }
  keep(text.length)
  return raw
}
