/** The name somebody meant: for messages about an unknown key, server or skill. Pure. */

/** How many single insertions, removals, replacements or swaps of neighbours turn one word into the other. */
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

/** The nearest of the names, if it is near enough to be meant: at most a third of the word differs. */
export const nearest = (word: string, names: Iterable<string>): string | undefined => {
  let best: { readonly name: string; readonly cost: number } | undefined
  for (const name of names) {
    const cost = distance(word.toLowerCase(), name.toLowerCase())
    if (cost <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
      if (best === undefined || cost < best.cost) best = { name, cost }
  }
  return best?.name
}

/** `; did you mean "x"?`, or nothing. */
export const hint = (word: string, names: Iterable<string>): string => {
  const near = nearest(word, names)
  return near === undefined ? "" : `; did you mean "${near}"?`
}
