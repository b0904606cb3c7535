/** Columns for people: a head, then a line for each row. Pure. */
import { oneLine } from "./Printable.ts"

/** How many terminal cells a text takes; wide characters take two. */
export const width = (text: string): number => Bun.stringWidth(text)

/** In one line, and its beginning with `…` where it is wider than this many cells; no character is cut in two. */
export const cut = (text: string, cells: number): string => {
  const line = oneLine(text).trim()
  if (width(line) <= cells) return line
  let kept = ""
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (width(kept + segment) > cells - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** `""` when there are no rows. Cells become one line each; the last column is not padded. */
export const render = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  if (rows.length === 0) return ""
  const cells = [head, ...rows].map((row) => row.map(oneLine))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ""))))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
      .join("  ")
      .trimEnd()
  return `${cells.map(line).join("\n")}\n`
}
