/** `includeTools` and `excludeTools`: globs over a server's own tool names; exclude wins. Pure. */

export interface Patterns {
  readonly includeTools: ReadonlyArray<string> | undefined
  readonly excludeTools: ReadonlyArray<string>
}

/** `*` any run of characters, `?` one; everything else stands for itself. Linear in pattern times name. */
export const matches = (pattern: string, name: string): boolean => {
  const [glob, text] = [[...pattern], [...name]]
  let at = 0
  let next = 0
  let star = -1
  let from = 0
  while (next < text.length) {
    if (glob[at] === "*") {
      star = at++
      from = next
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === text[next])) {
      at++
      next++
    } else if (star >= 0) {
      at = star + 1
      next = ++from
    } else return false
  }
  while (glob[at] === "*") at++
  return at === glob.length
}

export const isKept = (name: string, { includeTools, excludeTools }: Patterns): boolean =>
  (includeTools === undefined || includeTools.some((pattern) => matches(pattern, name))) &&
  !excludeTools.some((pattern) => matches(pattern, name))

/** Patterns that match none of the names. */
export const unused = (
  names: ReadonlyArray<string>,
  { includeTools, excludeTools }: Patterns
): ReadonlyArray<string> =>
  [...(includeTools ?? []), ...excludeTools].filter(
    (pattern) => !names.some((name) => matches(pattern, name))
  )
