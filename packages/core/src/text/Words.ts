/**
 * Words of a text as search sees them: camelCase and snake_case split, lower case, a light English stem, Han as
 * single characters and pairs. Pure. Ranking with them is the retrieval package's and the offline model's.
 */

const pattern =
  /[\p{Script=Han}&&[\p{L}\p{N}]]+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|(?:[[\p{Lo}\p{Lm}]--\p{Script=Han}]\p{M}*)+|\p{N}+/gv
const han = /^\p{Script=Han}/v

/** Without the ending of a plural. */
const singular = (word: string): string => {
  if (/.{2}ies?$/.test(word)) return word.replace(/ies?$/, "y")
  if (/(ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

/** `forecasts`, `forecasting` and `forecast` become one. Words of three letters or fewer stay. */
export const stem = (word: string): string => {
  if (word.length <= 3 || /[^a-z]/.test(word)) return word
  const one = singular(word)
  for (const ending of ["ing", "ed"])
    if (one.endsWith(ending) && one.length - ending.length >= 4) {
      const base = one.slice(0, -ending.length)
      return /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base
    }
  return one.endsWith("e") && one.length > 4 ? one.slice(0, -1) : one
}

const hanTerms = (run: string): ReadonlyArray<string> => {
  const points = [...run]
  return [...points, ...points.slice(1).map((point, at) => `${points[at]}${point}`)]
}

/** In the order of the text, repeats kept. */
export const split = (text: string): ReadonlyArray<string> =>
  (text.normalize("NFKC").match(pattern) ?? []).flatMap((run) =>
    han.test(run) ? hanTerms(run) : [stem(run.toLowerCase())]
  )
