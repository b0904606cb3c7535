/**
 * What the end of a program's standard error says about why it ended: the error, not the frames of its stack. Pure.
 *
 * Keeping the text is `StderrLog`.
 */

const maxLines = 5

/** `    at f (file:1:2)`, and the like of Python. */
const frame = /^\s+(?:at\s|File ".*", line \d)/
/** `TypeError: …`, `error: …`, `panic: …`. */
const naming =
  /^\s*(?:Uncaught |Exception in thread "[^"]*" )?(?:(?:\w+[.:])*\w*(?:Error|Exception)\b(?: \[\w+\])?|error|fatal|panic)\s*(?::|$)/
/** Brackets, underlinings and versions that stand around a stack. */
const frill = /^(?:[\s^~{}[\]]*|(?:Node\.js|Bun) v[\d.]+.*)$/

/** At most five lines, in order; of a text with a stack those from the last line that names an error on. */
export const of = (text: string): string => {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "")
  if (!lines.some((line) => frame.test(line))) return lines.slice(-maxLines).join("\n")
  const telling = lines.filter((line) => !frame.test(line) && !frill.test(line))
  const from = telling.findLastIndex((line) => naming.test(line))
  return (from < 0 ? telling.slice(-maxLines) : telling.slice(from, from + maxLines)).join("\n")
}
