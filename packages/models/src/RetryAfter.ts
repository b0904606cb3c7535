/** How long a provider asks to wait, from its response headers or error body. Pure. */

type Headers = Readonly<Record<string, string>>

const seconds = (text: string): number | undefined => {
  const match = /^\s*(\d+(?:\.\d+)?)s?\s*$/.exec(text)
  return match === null ? undefined : Math.round(Number(match[1]) * 1000)
}

/** `retryDelay` of a Google `RetryInfo`, as in `"34.5s"`. */
const fromDetails = (details: ReadonlyArray<unknown>): number | undefined => {
  for (const detail of details) {
    const delay = (detail as { readonly retryDelay?: unknown } | null)?.retryDelay
    if (typeof delay === "string") return seconds(delay)
  }
  return undefined
}

/**
 * Milliseconds, never negative; undefined where nothing is said. `retry-after-ms` counts before `retry-after`, which
 * holds seconds or an HTTP date.
 *
 * @param headers names in lower case
 * @param now milliseconds since 1970
 */
export const millis = (
  headers: Headers,
  details: ReadonlyArray<unknown>,
  now: number
): number | undefined => {
  const exact = headers["retry-after-ms"]
  if (exact !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(exact)) return Math.round(Number(exact))
  const after = headers["retry-after"]
  if (after !== undefined) {
    const wait = seconds(after)
    if (wait !== undefined) return wait
    const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
    if (!Number.isNaN(date)) return Math.max(0, date - now)
  }
  return fromDetails(details)
}
