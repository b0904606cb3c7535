/** JSON with the keys of every object in order, so that values which are the same are the same text. Pure. */

const byKey = ([left]: [string, unknown], [right]: [string, unknown]): number => (left < right ? -1 : 1)

/** As `JSON.stringify` writes plain values, but for the order of keys. A field that is undefined is left out. */
export const stringify = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null"
  const fields = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(byKey)
  return `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${stringify(one)}`).join(",")}}`
}
