/**
 * The values in files of secrets that are not for showing. Pure. Which files those are is `SecretFiles`; hiding them in
 * what passes by is core's `SecretStream`.
 */

/** Shorter values of such files are ordinary words. */
const minSecretChars = 8

/** The values in the text of a JSON or `.env` file that are worth hiding. */
export const secretsIn = (text: string): ReadonlyArray<string> => {
  const values = new Set<string>()
  for (const [, value = "", colon] of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g))
    if (colon === undefined) values.add(value)
  for (const match of text.matchAll(/^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(['"]?)(.*?)\1\s*$/gm))
    values.add(match[2] ?? "")
  return [...values].filter((value) => value.length >= minSecretChars).sort((a, b) => b.length - a.length)
}
