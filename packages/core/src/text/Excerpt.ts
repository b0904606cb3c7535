/**
 * Cutting text without ever halving a character. Sizes are UTF-16 units, as `String.length` counts; a cut that
 * would fall inside a surrogate pair moves by one.
 */

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** The first `size` units at most. */
export const head = (text: string, size: number): string => {
  if (text.length <= size) return text
  if (size <= 0) return ""
  return text.slice(0, isHigh(text.charCodeAt(size - 1)) && isLow(text.charCodeAt(size)) ? size - 1 : size)
}

/** The last `size` units at most. */
export const tail = (text: string, size: number): string => {
  if (text.length <= size) return text
  if (size <= 0) return ""
  const from = text.length - size
  return text.slice(isLow(text.charCodeAt(from)) && isHigh(text.charCodeAt(from - 1)) ? from + 1 : from)
}

/** At most `size` units: the whole, or its beginning and end with `notice` between them, or a part of `notice`. */
export const middle = (text: string, size: number, notice: string): string => {
  if (text.length <= size) return text
  const room = size - notice.length
  if (room <= 0) return head(notice, size)
  return head(text, Math.ceil(room / 2)) + notice + tail(text, Math.floor(room / 2))
}

/** Lone halves of surrogate pairs become U+FFFD. */
export const wellFormed = (text: string): string => text.toWellFormed()

/** The same for every string and key of a JSON-like value; the very value where there is nothing to change. */
export const wellFormedDeep = <A>(value: A): A => deep(value) as A

/** Frozen lists of texts that were looked through before and need no change. */
const clean = new WeakSet<ReadonlyArray<unknown>>()

const deep = (value: unknown): unknown => {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) {
    if (clean.has(value)) return value
    const next = value.map(deep)
    if (next.some((one, at) => one !== value[at])) return next
    if (Object.isFrozen(value) && value.every((one) => typeof one === "string")) clean.add(value)
    return value
  }
  if (value === null || typeof value !== "object") return value
  const before = Object.entries(value)
  const after = before.map(([key, one]) => [key.toWellFormed(), deep(one)] as const)
  const same = after.every(([key, one], at) => key === before[at]?.[0] && one === before[at]?.[1])
  return same ? value : Object.fromEntries(after)
}
