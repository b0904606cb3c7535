/**
 * `${VAR}`, `${env:VAR}` and `${VAR:-default}` in a text of a configuration file. Pure over a lookup. `$VAR`, `$$` and a
 * `${` without end are left as they are, and what a variable holds is not expanded again.
 */

/** The value of a variable, `undefined` when it is not set. Set to nothing is `""`. */
export type Lookup = (name: string) => string | undefined

const pattern = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export interface Expanded {
  readonly text: string
  /** What variables were replaced by: may be secret, so no message shows it. */
  readonly values: ReadonlyArray<string>
  /** Variables that are not set and have no default, in the order of the text; nothing stands for them in it. */
  readonly missing: ReadonlyArray<string>
}

/** A default counts where the variable is not set, and where it is set to nothing. */
export const expand = (template: string, lookup: Lookup): Expanded => {
  const values: Array<string> = []
  const missing = new Set<string>()
  const text = template.replace(pattern, (_, name: string, fallback: string | undefined) => {
    const found = lookup(name)
    if (found === undefined || (found === "" && fallback !== undefined)) {
      if (fallback === undefined) missing.add(name)
      return fallback ?? ""
    }
    values.push(found)
    return found
  })
  return { text, values, missing: [...missing] }
}

/** True when there is a variable in the text. */
export const has = (template: string): boolean => template.search(pattern) >= 0
