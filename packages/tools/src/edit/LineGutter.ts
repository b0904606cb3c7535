/**
 * The `N|` in front of the lines that `read` shows: told apart from text that only looks like it, and taken off.
 * Pure.
 */

const gutter = /^\s*(\d+)\|/

/** This share of non-blank lines must carry a number for a text to be an echo of `read`. */
const echoShare = 0.6
const echoLines = 2

interface Numbered {
  readonly number: number
  /** Place of the line in the text. */
  readonly at: number
}

const numbered = (text: string): ReadonlyArray<Numbered> =>
  text.split("\n").flatMap((line, at) => {
    const found = gutter.exec(line)?.[1]
    return found === undefined ? [] : [{ number: Number(found), at }]
  })

const countNonBlank = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length

/** Each one more than the last, or in step with the places of the lines. */
const isConsecutive = (lines: ReadonlyArray<Numbered>): boolean =>
  lines.every(({ number }, index) => index === 0 || number === (lines[index - 1]?.number ?? 0) + 1) ||
  lines.every(({ number, at }) => number - at === (lines[0]?.number ?? 0) - (lines[0]?.at ?? 0))

/** True for text copied from what `read` shows, numbers and all. */
export const isEcho = (text: string): boolean => {
  const lines = numbered(text)
  const all = countNonBlank(text)
  return (
    all >= echoLines && lines.length >= echoLines && lines.length >= all * echoShare && isConsecutive(lines)
  )
}

/** The text without its gutters, where every non-blank line has one and they are consecutive; else `undefined`. */
export const strip = (text: string): string | undefined => {
  const lines = numbered(text)
  if (lines.length === 0 || lines.length !== countNonBlank(text) || !isConsecutive(lines)) return undefined
  return text
    .split("\n")
    .map((line) => line.replace(gutter, ""))
    .join("\n")
}
