/**
 * Words of a text as search sees them: camelCase and snake_case split, lower case, a light English stem, Han as
 * single characters and pairs. Pure. Ranking with them is the retrieval package's and the offline model's.
 */

const pattern = /\p{Script=Han}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lo}+|\p{N}+/gu
const han = /^\p{Script=Han}/u

/** `forecasts`, `forecasting` and `forecast` become one. Words of three letters or fewer stay. */
export const stem = (word: string): string => {
  if (word.length <= 3 || /[^a-z]/.test(word)) return word
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  if (word.endsWith("s") && !/(ss|us|is)$/.test(word)) return word.slice(0, -1)
  for (const ending of ["ing", "ed"])
    if (word.endsWith(ending) && word.length - ending.length >= 4) {
      const base = word.slice(0, -ending.length)
      return /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base
    }
  return word.endsWith("e") && word.length > 4 ? word.slice(0, -1) : word
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
