/**
 * One skill as the prompt shows it, and the two blocks of them. Pure; the same skills give the same bytes.
 *
 * Names, descriptions and paths are text that others wrote: they are cleaned and escaped, so a card can never end
 * early. Which skills get one is `SkillListing`.
 */
import * as InvisibleText from "../frontmatter/InvisibleText.ts"
import type { Skill } from "../manifest/Skill.ts"
import { maxDescriptionChars } from "../manifest/SkillManifest.ts"
import { describe } from "../manifest/SkillRequirements.ts"

export const maxDescription = maxDescriptionChars

/** One line that XML can hold and a person can see: line ends become blanks; control and invisible characters go. */
export const clean = (text: string): string =>
  InvisibleText.without(text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " "))
    .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "")
    .trim()

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one)

const field = (text: string): string => escape(clean(text))

/** Whole, or its beginning; one that is shortened for lack of room ends in `…`. */
const description = (skill: Skill, chars: number): string => {
  const whole = clean(skill.description)
  if (whole.length <= chars) return escape(whole)
  const points = [...whole]
  if (points.length <= chars) return escape(whole)
  const short = chars < maxDescription
  return escape(
    `${points
      .slice(0, short ? chars - 1 : chars)
      .join("")
      .trim()}${short ? "…" : ""}`
  )
}

const available = (skill: Skill, chars: number): string =>
  [
    "  <skill>",
    `    <name>${field(skill.name)}</name>`,
    `    <description>${description(skill, chars)}</description>`,
    `    <location>${field(skill.path)}</location>`,
    `    <base_dir>${field(skill.base_dir)}</base_dir>`,
    "  </skill>"
  ].join("\n")

/** Of what a skill misses, in code points: enough for any that means it. */
const maxMissing = 500

const short = (text: string, chars: number): string => {
  const points = [...text]
  return points.length <= chars ? text : `${points.slice(0, chars - 1).join("")}…`
}

const unavailable = (skill: Skill, chars: number): string => {
  const setup = skill.manifest.setup === "" ? "" : `<setup>${field(skill.manifest.setup)}</setup>`
  const missing = `<missing>${field(short(describe(skill.missing), maxMissing))}</missing>`
  return `  <skill><name>${field(skill.name)}</name><description>${description(skill, chars)}</description>${missing}${setup}</skill>`
}

/** @param chars of the description, in code points */
export const card = (skill: Skill, chars: number = maxDescription): string =>
  (skill.available ? available : unavailable)(skill, chars)

const tags = ["available_skills", "unavailable_skills"] as const

/** What the tags of both blocks take at most, line ends included. */
export const frameChars = tags.reduce((sum, tag) => sum + 2 * tag.length + 7, 0)

/** Available skills, then the others, each in the order given; an empty block is left out. */
export const blocks = (skills: ReadonlyArray<Skill>, chars: number = maxDescription): string =>
  [true, false]
    .map((isAvailable, at) => {
      const cards = skills.filter((skill) => skill.available === isAvailable).map((one) => card(one, chars))
      return cards.length === 0 ? "" : [`<${tags[at]}>`, ...cards, `</${tags[at]}>`].join("\n")
    })
    .filter((block) => block !== "")
    .join("\n")
