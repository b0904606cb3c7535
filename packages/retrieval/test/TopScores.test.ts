import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { topScores } from "../src/TopScores.ts"

test("the places are those that sorting everything would give", () => {
  const score = fc.oneof(fc.constantFrom(0, 1, 2, Number.NaN, -1), fc.double())
  fc.assert(
    fc.property(fc.array(score), fc.integer({ min: -1, max: 12 }), (list, limit) => {
      const scores = Float64Array.from(list)
      const sorted = [...scores.keys()]
        .filter((place) => (scores[place] ?? 0) > 0)
        .sort((left, right) => {
          const [a, b] = [scores[left] ?? 0, scores[right] ?? 0]
          return a === b ? left - right : a < b ? 1 : -1
        })
        .slice(0, Math.max(0, limit))
      expect([...topScores(scores, limit)]).toEqual(sorted)
    })
  )
})
