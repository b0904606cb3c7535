/**
 * `${VAR}`, `${env:VAR}` and `${VAR:-default}` in a text. Pure over a lookup. `$VAR`, `$$` and a `${` without end
 * are left as they are.
 */
import * as Result from "effect/Result"

/** The value of a variable, `undefined` when it is not set. Set to nothing is `""`. */
export type Lookup = (name: string) => string | undefined

const pattern = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export interface Expanded {
  readonly text: string
  /** What variables were replaced by: may be secret, so no message shows it. */
  readonly values: ReadonlyArray<string>
}

/** Fails with the name of the first variable that is not set and has no default. */
export const expand = (template: string, lookup: Lookup): Result.Result<Expanded, string> => {
  const values: Array<string> = []
  let missing: string | undefined
  const text = template.replace(pattern, (_, name: string, fallback: string | undefined) => {
    const found = lookup(name)
    const value = fallback === undefined ? found : found === undefined || found === "" ? fallback : found
    if (value === undefined) {
      missing ??= name
      return ""
    }
    if (value === found) values.push(value)
    return value
  })
  return missing === undefined ? Result.succeed({ text, values }) : Result.fail(missing)
}

/** True when the text holds nothing but variables and fixed characters around them: there is one to expand. */
export const has = (template: string): boolean => template.search(pattern) >= 0
