/**
 * The known names that a mistyped one is most like: for messages about an unknown setting, server, tool, skill or
 * file. Pure. Finding things by what they are about is search, not this (`Words`).
 */

import { distance as levenshtein } from "fastest-levenshtein"

/** One is the other with two neighbours in the wrong order. */
const isSwapped = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return (
    left[at] === right[at + 1] && left[at + 1] === right[at] && left.slice(at + 2) === right.slice(at + 2)
  )
}

/**
 * How many single insertions, removals or replacements turn one text into the other; two neighbours in the wrong
 * order are one mistake.
 */
export const distance = (left: string, right: string): number =>
  left !== right && isSwapped(left, right) ? 1 : levenshtein(left, right)

/** Longer names are compared by their beginning. */
const maxChars = 64

/** Case and signs aside: `readFile`, `read-file` and `read_file` are one. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "")
    .slice(0, maxChars)

/** How many mistakes a word of that length may hold; one letter instead of another is no mistake but another word. */
const patience = (length: number): number =>
  length <= 1 ? 0 : length <= 4 ? 1 : Math.max(2, Math.floor(length / 3))

/** 0 is the same. `wanted` is plain. A part that is the other's whole counts as less than one mistake. */
const farness = (wanted: string, name: string): number => {
  const whole = plain(name)
  // What a tool of a server is called there: `mcp__files__read`.
  const last = plain(name.split("__").at(-1) ?? "")
  if (whole === wanted) return 0
  if (wanted.length >= 3 && whole.includes(wanted)) return 0.5
  if (last.length >= 3 && wanted.includes(last)) return 0.75
  const away = Math.min(distance(wanted, whole), distance(wanted, last))
  return away <= patience(wanted.length) ? away : Number.POSITIVE_INFINITY
}

/** At most `most` of the names, the nearest first, equally near ones by name. Empty: none is near enough to be meant. */
export const near = (wanted: string, names: Iterable<string>, most = 3): ReadonlyArray<string> => {
  const word = plain(wanted)
  if (word === "") return []
  return [...new Set(names)]
    .map((name) => ({ name, far: farness(word, name) }))
    .filter(({ far }) => Number.isFinite(far))
    .sort((left, right) => left.far - right.far || (left.name < right.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

/** The end of a message: `; did you mean "x"?`, or nothing. */
export const hint = (wanted: string, names: Iterable<string>): string => {
  const [nearest] = near(wanted, names, 1)
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`
}
