/**
 * What two lists of lines have in common and where they differ: the one file that asks the `diff` library, and the
 * bound on how long it may look. Pure. How a difference is written down is `UnifiedDiff`.
 */
import { diffArrays, type StructuredPatchHunk, structuredPatch } from "diff"

const contextLines = 3
/**
 * Lines taken out and put in that are told apart. The search takes the square of it: texts that differ in more are
 * shown as one block from the first difference to the last.
 */
const maxEditLength = 1000

interface Ends {
  readonly head: number
  readonly tail: number
}

/** How many lines both begin and end with. */
const sameEnds = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): Ends => {
  const shorter = Math.min(left.length, right.length)
  let head = 0
  while (head < shorter && left[head] === right[head]) head++
  let tail = 0
  while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++
  return { head, tail }
}

/** For the place of a line in `right` the place of the same line in `left`, in order. */
export const pairs = (
  left: ReadonlyArray<string>,
  right: ReadonlyArray<string>
): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  const pair = (from: number, to: number, count: number) => {
    for (let at = 0; at < count; at++) found.set(to + at, from + at)
  }
  const changes = diffArrays([...left], [...right], { maxEditLength })
  if (changes === undefined) {
    const { head, tail } = sameEnds(left, right)
    pair(0, 0, head)
    pair(left.length - tail, right.length - tail, tail)
    return found
  }
  let [from, to] = [0, 0]
  for (const { added, count, removed } of changes) {
    if (!added && !removed) pair(from, to, count)
    if (!added) from += count
    if (!removed) to += count
  }
  return found
}

const noLineEnd = "\\ No newline at end of file"

/** Lines with their ends. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+/g) ?? []

const marked = (mark: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => (line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, noLineEnd]))

/** All from the first difference to the last as one hunk. */
const block = (before: string, after: string): StructuredPatchHunk => {
  const [left, right] = [linesOf(before), linesOf(after)]
  const { head, tail } = sameEnds(left, right)
  const lead = Math.min(head, contextLines)
  const trail = Math.min(tail, contextLines)
  const [leftEnd, rightEnd] = [left.length - tail, right.length - tail]
  return {
    oldStart: head - lead + 1,
    newStart: head - lead + 1,
    oldLines: leftEnd - head + lead + trail,
    newLines: rightEnd - head + lead + trail,
    lines: [
      ...marked(" ", left.slice(head - lead, head)),
      ...marked("-", left.slice(head, leftEnd)),
      ...marked("+", right.slice(head, rightEnd)),
      ...marked(" ", left.slice(leftEnd, leftEnd + trail))
    ]
  }
}

/** The parts of two texts that differ, each with three lines around it. Lines end at `\n`; a `\r` is part of its line. */
export const hunks = (before: string, after: string): ReadonlyArray<StructuredPatchHunk> =>
  structuredPatch("", "", before, after, undefined, undefined, { context: contextLines, maxEditLength })
    ?.hunks ?? [block(before, after)]
