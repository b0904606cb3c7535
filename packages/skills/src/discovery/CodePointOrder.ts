/** The one order of names and paths: by code point, whatever the locale or the disk says. Pure. */

/** Surrogates stand for code points above all others, so they sort after U+E000 to U+FFFF. */
const weight = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit

export const compare = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const difference = weight(left.charCodeAt(at)) - weight(right.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** A sorted copy, by the key of each item; items of one key keep their order. */
export const sortBy = <A>(items: Iterable<A>, key: (item: A) => string): ReadonlyArray<A> =>
  [...items].sort((left, right) => compare(key(left), key(right)))
