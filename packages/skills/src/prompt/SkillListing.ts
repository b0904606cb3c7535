/**
 * Which skills the prompt has room for. Pure. Descriptions are shortened first; then the rest moves behind the search
 * tool, so that nothing is out of reach. How a card looks is `SkillCards`.
 *
 * The order in which skills keep their place never depends on what was said, so the section stays the same from step
 * to step and a provider's cache holds: what can be used now before what lacks something, then from the most specific
 * to the most general source (project, user, plugin, builtin), then by name. Those that are listed stand by name.
 */
import * as Context from "effect/Context"
import { compare } from "../discovery/CodePointOrder.ts"
import type { Skill, SkillSource } from "../manifest/Skill.ts"
import * as SkillCards from "./SkillCards.ts"

/** Of the model; the listing may take a fiftieth of it. */
export const contextTokens = Context.Reference<number>("@cow/skills/SkillListing/contextTokens", {
  defaultValue: () => 64_000
})

const minChars = 8_000
const charsPerToken = 4
const share = 0.02

/** How long the section may be, in UTF-16 units. */
export const maxCharsOf = (tokens: number): number =>
  Math.max(minChars, Math.floor(tokens * charsPerToken * share))

export interface Listing {
  /** Sorted by name. */
  readonly listed: ReadonlyArray<Skill>
  /** Sorted by name. */
  readonly unlisted: ReadonlyArray<Skill>
  /** Code points of a description at most. */
  readonly descriptionChars: number
}

/** Longest first; the last is `shortest`. */
const descriptionSizes = [SkillCards.maxDescription, 512, 256, 160, 120, 80] as const
const shortest = 80

const rank: Record<SkillSource, number> = { project: 0, user: 1, plugin: 2, builtin: 3 }

const byWorth = (left: Skill, right: Skill): number =>
  Number(right.available) - Number(left.available) ||
  rank[left.source] - rank[right.source] ||
  compare(left.name, right.name)

/** Of a card with its line end. */
const sizeOf = (skill: Skill, descriptionChars: number): number =>
  SkillCards.card(skill, descriptionChars).length + 1

/** Of both blocks. */
const sum = (sizes: Iterable<number>): number => {
  let whole = SkillCards.frameChars
  for (const size of sizes) whole += size
  return whole
}

/** A card that takes more than this, by a name or path beyond all measure, waits until every other has its place. */
const maxCardChars = 1_500

/** Of the skills in their order of worth, as many as fit before the first that does not. */
const firstThatFit = (
  skills: ReadonlyArray<Skill>,
  room: number,
  sizeOfOne: (skill: Skill) => number
): ReadonlySet<Skill> => {
  const kept = new Set<Skill>()
  let left = room
  for (const skill of [...skills].sort(byWorth)) {
    left -= sizeOfOne(skill)
    if (left < 0) break
    kept.add(skill)
  }
  return kept
}

/**
 * @param skills sorted by name
 * @param room for both blocks together, in UTF-16 units
 */
export const choose = (skills: ReadonlyArray<Skill>, room: number): Listing => {
  const sizes = new Map(skills.map((skill) => [skill, sizeOf(skill, shortest)]))
  const shortestOf = (skill: Skill): number => sizes.get(skill) ?? 0
  const usual = skills.filter((skill) => shortestOf(skill) <= maxCardChars)
  const huge = skills.filter((skill) => shortestOf(skill) > maxCardChars)
  const fits = (chars: number) => sum(usual.map((skill) => sizeOf(skill, chars))) <= room
  const allFit = sum(usual.map(shortestOf)) <= room
  const descriptionChars = (allFit ? descriptionSizes.find(fits) : undefined) ?? shortest
  const sizeNow = (skill: Skill): number => sizeOf(skill, descriptionChars)
  const kept = allFit
    ? new Set([...usual, ...firstThatFit(huge, room - sum(usual.map(sizeNow)), sizeNow)])
    : firstThatFit(usual, room - SkillCards.frameChars, shortestOf)
  return {
    listed: skills.filter((skill) => kept.has(skill)),
    unlisted: skills.filter((skill) => !kept.has(skill)),
    descriptionChars
  }
}
