/**
 * The known names that a mistyped one is most like: for messages about an unknown setting, server, tool, skill or
 * file. Pure. Finding things by what they are about is search, not this (`Words`).
 */

/** How many single insertions, removals, replacements or swaps of neighbours turn one text into the other. */
export const distance = (left: string, right: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: right.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const above = rows[i - 1] as Array<number>
      let cost = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1)
      )
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        cost = Math.min(cost, (rows[i - 2]?.[j - 2] as number) + 1)
      row.push(cost)
    }
    rows.push(row)
  }
  return rows[left.length]?.[right.length] as number
}

/** Longer names are compared by their beginning. */
const maxChars = 64

/** Case and signs aside: `readFile`, `read-file` and `read_file` are one. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "")
    .slice(0, maxChars)

/** How many mistakes a word of that length may hold. */
const patience = (length: number): number => (length <= 4 ? 1 : Math.max(2, Math.floor(length / 3)))

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
