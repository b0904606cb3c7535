/**
 * Tools by the words they share with a query: BM25 (Robertson and Zaragoza, 2009) over weighted fields. Pure; an
 * index is never changed, a changed table gets a new one. What the words of a tool are is `ToolDocument`.
 */
import { Words } from "@cow/core"
import * as ToolDocument from "./ToolDocument.ts"
import { topScores } from "./TopScores.ts"

/** Term saturation and length normalisation. */
const k1 = 1.2
const b = 0.75

/** Which documents hold a word, and what that adds to their score. */
interface Postings {
  readonly documents: Uint32Array
  readonly scores: Float64Array
}

export interface LexicalIndex {
  readonly ids: ReadonlyArray<string>
  readonly postings: ReadonlyMap<string, Postings>
  /** Documents by a way of naming them. */
  readonly byName: ReadonlyMap<string, ReadonlyArray<number>>
}

export interface Hit {
  readonly id: string
  /** Above 0; greater is nearer. Comparable within one answer only. */
  readonly score: number
}

export const build = (documents: ReadonlyArray<ToolDocument.ToolDocument>): LexicalIndex => {
  const counts = documents.map(ToolDocument.terms)
  const lengths = counts.map((terms) => terms.values().reduce((sum, count) => sum + count, 0))
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)

  const holders = new Map<string, Array<number>>()
  const byName = new Map<string, Array<number>>()
  const put = (map: Map<string, Array<number>>, key: string, at: number) => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [at])
    else list.push(at)
  }
  for (const [at, terms] of counts.entries()) for (const term of terms.keys()) put(holders, term, at)
  for (const [at, document] of documents.entries())
    for (const key of ToolDocument.nameKeys(document)) put(byName, key, at)

  const postings = new Map<string, Postings>()
  for (const [term, list] of holders) {
    const idf = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5))
    const scores = list.map((at) => {
      const count = counts[at]?.get(term) ?? 0
      const norm = k1 * (1 - b + (b * (lengths[at] ?? 0)) / average)
      return (idf * count * (k1 + 1)) / (count + norm)
    })
    postings.set(term, { documents: Uint32Array.from(list), scores: Float64Array.from(scores) })
  }
  return { ids: documents.map(({ id }) => id), postings, byName }
}

/**
 * Tools that share a word with the query, best first; equal ones in the order of the index. A query that is a
 * tool's name puts that tool first.
 */
export const search = (index: LexicalIndex, query: string, limit: number): ReadonlyArray<Hit> => {
  if (!(limit > 0)) return []
  const scores = new Float64Array(index.ids.length)
  for (const word of new Set(Words.split(query))) {
    const found = index.postings.get(word)
    if (found === undefined) continue
    for (let at = 0; at < found.documents.length; at++) {
      const document = found.documents[at] ?? 0
      scores[document] = (scores[document] ?? 0) + (found.scores[at] ?? 0)
    }
  }
  const named = index.byName.get(ToolDocument.nameKey(query)) ?? []
  const best = named.length === 0 ? 0 : scores.reduce((most, score) => Math.max(most, score), 0)
  for (const at of named) scores[at] = (scores[at] ?? 0) + best + 1

  return topScores(scores, limit).map((at) => ({ id: index.ids[at] ?? "", score: scores[at] ?? 0 }))
}
