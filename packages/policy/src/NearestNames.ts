/** Which known names a mistyped one is most like. Pure. */

/** Edit distance: how many characters must be put in, taken out or changed. */
const distance = (left: string, right: string): number => {
  let previous = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++)
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
        )
      )
    previous = current
  }
  return previous[right.length] ?? 0
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9\p{L}]/gu, "")

/** At most three, the nearest first; equally near ones by name. Empty when nothing is near. */
export const nearest = (name: string, known: Iterable<string>): ReadonlyArray<string> => {
  const wanted = plain(name).slice(0, 64)
  const score = (candidate: string): number => {
    const own = plain(candidate).slice(0, 64)
    const last = plain(candidate.split("__").at(-1) ?? "")
    if (wanted.length >= 3 && own.includes(wanted)) return 0.5
    if (last.length >= 3 && wanted.includes(last)) return 0.75
    const away = Math.min(distance(wanted, own), distance(wanted, last))
    return away <= Math.max(1, Math.floor(wanted.length / 3)) ? away : Number.POSITIVE_INFINITY
  }
  return [...new Set(known)]
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter(({ score }) => Number.isFinite(score))
    .sort((left, right) => left.score - right.score || (left.candidate < right.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
