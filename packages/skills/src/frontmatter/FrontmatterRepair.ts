/**
 * Mends the one mistake that authors make most: `description: Use when: the user asks`, a plain value that holds a
 * colon and so is no YAML. Pure; which line is wrong is told by the parser (`Frontmatter`).
 *
 * A line that could hold a requirement is never mended: guessing there could load a skill without its gate.
 */

export interface Repaired {
  readonly lines: ReadonlyArray<string>
  readonly key: string
}

const key = String.raw`["']?(?:metadata|cow|cowagent|openclaw|requires|bins|anyBins|env|anyEnv|os|always|default_enabled)(?:\.[\w.]+)?["']?\s*:`
const gate = new RegExp(String.raw`^\s*(?:- +)*${key}`)
const named = new RegExp(String.raw`(?:^|[\s,[{"'])${key}`)

/** Whether a requirement could stand in a line. */
export const holdsGate = (line: string): boolean => gate.test(line)

/** Whether a text names the key of a requirement anywhere. */
export const namesGate = (text: string): boolean => named.test(text)

/**
 * The lines with the value that starts at this line and column quoted, its continuation lines folded in; undefined
 * where the place holds no plain value of a key.
 *
 * @param line from 1
 * @param column from 1
 */
export const quoteValue = (
  lines: ReadonlyArray<string>,
  line: number,
  column: number
): Repaired | undefined => {
  const text = lines[line - 1] ?? ""
  const start = /^(\s*(?:- +)*)([^\s:#'"[\]{},&*!|>%-][^:]*):[ \t]+$/.exec(text.slice(0, column - 1))
  const value = text.slice(column - 1).trim()
  if (start === null || holdsGate(text) || /^(?:$|['"[{|>&*!#])/.test(value)) return undefined
  const indent = (start[1] ?? "").length
  const end = lines.findIndex((next, at) => at >= line && next.trim() !== "" && indentOf(next) <= indent)
  const folded = lines.slice(line, end < 0 ? lines.length : end)
  if (folded.some(holdsGate)) return undefined
  const whole = [value, ...folded.map((next) => next.trim()).filter((next) => next !== "")].join(" ")
  const quoted = `${text.slice(0, column - 1)}'${whole.replaceAll("'", "''")}'`
  // Blank lines in their place keep every later line at its number.
  const blank = folded.map(() => "")
  return {
    lines: [...lines.slice(0, line - 1), quoted, ...blank, ...lines.slice(line + folded.length)],
    key: (start[2] ?? "").trim()
  }
}

const indentOf = (line: string): number => line.length - line.trimStart().length
