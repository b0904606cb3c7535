/** The difference of two texts as a unified diff. Pure. What differs is `LineDiff`. */
import * as LineDiff from "./LineDiff.ts"

interface Diff {
  /** Empty when the texts are the same. */
  readonly text: string
  /** From 1, in the new text; 0 when nothing differs. */
  readonly firstChangedLine: number
}

/** `12,3`; of no line at all the one before is named. */
const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

export const diff = (name: string, before: string, after: string): Diff => {
  const hunks = LineDiff.hunks(before, after)
  const [first] = hunks
  if (first === undefined) return { text: "", firstChangedLine: 0 }
  const rows = hunks.flatMap(({ lines, newLines, newStart, oldLines, oldStart }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines
  ])
  return {
    text: [`--- ${name}`, `+++ ${name}`, ...rows].join("\n"),
    firstChangedLine: first.newStart + first.lines.findIndex((line) => !line.startsWith(" "))
  }
}
