/** Names in a folder that somebody who wrote a wrong one may have meant. Pure. */

const maxNames = 3

/** Edit distance of two short texts, case apart. */
const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
        )
      )
    row = next
  }
  return row[right.length] ?? 0
}

/** Best first, three at most. */
export const near = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const low = wanted.toLowerCase()
  return names
    .map((name) => {
      const other = name.toLowerCase()
      const contains = low.length >= 3 && other.length >= 3 && (other.includes(low) || low.includes(other))
      return { name, far: contains ? Math.min(2, distance(low, other)) : distance(low, other) }
    })
    .filter(({ far }) => far <= Math.max(2, Math.floor(wanted.length / 4)))
    .sort((left, right) => left.far - right.far || (left.name < right.name ? -1 : 1))
    .slice(0, maxNames)
    .map(({ name }) => name)
}
