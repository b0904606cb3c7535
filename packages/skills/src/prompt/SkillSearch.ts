/** Skills that fit a query, best first, by the words of name and description. Pure; nothing of a body is looked at. */
import { Words } from "@cow/core"
import { compare } from "../discovery/CodePointOrder.ts"

export interface Searchable {
  readonly name: string
  readonly description: string
}

export interface SkillHit<A extends Searchable> {
  readonly skill: A
  /** Above 0; only its order means something. */
  readonly score: number
}

/** A word of the name says more than one of the description. */
const nameWeight = 3

/** Those that share a word with the query; rare words count more. Equal scores are sorted by name. */
export const search = <A extends Searchable>(
  query: string,
  skills: ReadonlyArray<A>
): ReadonlyArray<SkillHit<A>> => {
  const wanted = [...new Set(Words.split(query))]
  const documents = skills.map((skill) => ({
    skill,
    name: new Set(Words.split(skill.name)),
    description: new Set(Words.split(skill.description))
  }))
  const rarity = new Map(
    wanted.map((word) => {
      const holders = documents.filter(({ name, description }) => name.has(word) || description.has(word))
      return [word, Math.log(1 + skills.length / (1 + holders.length))]
    })
  )
  return documents
    .map(({ skill, name, description }) => {
      const score = wanted.reduce((sum, word) => {
        const places = (name.has(word) ? nameWeight : 0) + (description.has(word) ? 1 : 0)
        return sum + places * (rarity.get(word) ?? 0)
      }, 0)
      return { skill, score }
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || compare(left.skill.name, right.skill.name))
}
