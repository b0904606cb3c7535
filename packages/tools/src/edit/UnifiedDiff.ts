/** The difference of two texts as a unified diff. Pure. */

const contextLines = 3
/** Above this product of lengths the changed middle is shown as one block. */
const maxCells = 1_000_000

interface Row {
  readonly mark: " " | "-" | "+"
  readonly text: string
}

const rowsOf = (mark: Row["mark"], lines: ReadonlyArray<string>): ReadonlyArray<Row> =>
  lines.map((text) => ({ mark, text }))

/** Rows of the parts that differ, by longest common subsequence. */
const middle = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Row> => {
  if (before.length * after.length > maxCells) return [...rowsOf("-", before), ...rowsOf("+", after)]
  const width = after.length + 1
  const best = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number): number => best[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      best[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const rows: Array<Row> = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i], after[j]]
    if (left !== undefined && left === right) {
      rows.push({ mark: " ", text: left })
      i++
      j++
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ mark: "-", text: left })
      i++
    } else {
      rows.push({ mark: "+", text: right ?? "" })
      j++
    }
  }
  return rows
}

const split = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

export interface Diff {
  /** Empty when the texts have the same lines. */
  readonly text: string
  /** From 1, in the new text; 0 when nothing differs. */
  readonly firstChangedLine: number
}

export const diff = (name: string, before: string, after: string): Diff => {
  const [a, b] = [split(before), split(after)]
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same++
  let tail = 0
  while (
    tail < a.length - same &&
    tail < b.length - same &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++
  const rows = [
    ...rowsOf(" ", a.slice(0, same)),
    ...middle(a.slice(same, a.length - tail), b.slice(same, b.length - tail)),
    ...rowsOf(" ", a.slice(a.length - tail))
  ]
  const hunks: Array<string> = []
  let [oldLine, newLine, firstChangedLine, end] = [1, 1, 0, 0]
  let hunk: { readonly oldStart: number; readonly newStart: number; readonly rows: Array<Row> } | undefined
  const close = () => {
    if (hunk === undefined) return
    const count = (mark: Row["mark"]) => hunk?.rows.filter((row) => row.mark !== mark).length ?? 0
    hunks.push(
      `@@ -${hunk.oldStart},${count("+")} +${hunk.newStart},${count("-")} @@`,
      ...hunk.rows.map((row) => row.mark + row.text)
    )
    hunk = undefined
  }
  rows.forEach((row, at) => {
    if (row.mark !== " ") {
      if (firstChangedLine === 0) firstChangedLine = newLine
      if (hunk === undefined) {
        const lead = rows.slice(Math.max(end, at - contextLines), at)
        hunk = { oldStart: oldLine - lead.length, newStart: newLine - lead.length, rows: [...lead] }
      }
      hunk.rows.push(row)
    } else if (hunk !== undefined) {
      const changeFollows = rows.slice(at, at + 2 * contextLines).some(({ mark }) => mark !== " ")
      const trailing = hunk.rows.length - 1 - hunk.rows.findLastIndex(({ mark }) => mark !== " ")
      if (changeFollows || trailing < contextLines) hunk.rows.push(row)
      else {
        close()
        end = at
      }
    }
    if (row.mark !== "+") oldLine++
    if (row.mark !== "-") newLine++
  })
  close()
  if (hunks.length === 0) return { text: "", firstChangedLine }
  return { text: [`--- ${name}`, `+++ ${name}`, ...hunks].join("\n"), firstChangedLine }
}
