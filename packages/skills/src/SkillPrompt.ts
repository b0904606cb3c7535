/**
 * The skills section of the system prompt: the rule, then a card a skill. Pure; the same skills give the same bytes.
 *
 * Names, descriptions and paths are text that others wrote: they are cleaned and escaped, so a card can never end
 * early. Bodies never enter. Which skills are shown is `SkillLibrary`.
 */
import type { Skill } from "./Skill.ts"
import { maxDescriptionChars } from "./SkillManifest.ts"
import { describe } from "./SkillRequirements.ts"

/** One line that XML can hold: line ends become blanks, control characters and lone surrogates go. */
export const clean = (text: string): string =>
  text
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ")
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

const description = (skill: Skill): string =>
  escape([...clean(skill.description)].slice(0, maxDescriptionChars).join("").trim())

const available = (skill: Skill): string =>
  [
    "  <skill>",
    `    <name>${field(skill.name)}</name>`,
    `    <description>${description(skill)}</description>`,
    `    <location>${field(skill.path)}</location>`,
    `    <base_dir>${field(skill.base_dir)}</base_dir>`,
    "  </skill>"
  ].join("\n")

const unavailable = (skill: Skill): string => {
  const setup = skill.manifest.setup === "" ? "" : `<setup>${field(skill.manifest.setup)}</setup>`
  const missing = `<missing>${field(describe(skill.missing))}</missing>`
  return `  <skill><name>${field(skill.name)}</name><description>${description(skill)}</description>${missing}${setup}</skill>`
}

const block = (tag: string, cards: ReadonlyArray<string>): ReadonlyArray<string> =>
  cards.length === 0 ? [] : [`<${tag}>`, ...cards, `</${tag}>`]

// The word for opening a file is never the name of a tool that may be called something else.
const rule = (readTool: string | undefined, lacking: boolean): ReadonlyArray<string> => [
  "# Skills",
  "",
  "A skill is a file with instructions. It is not a tool and cannot be called by its name.",
  "Before you act, scan the descriptions of the skills below. If one fits the task, open the file at its `<location>` " +
    (readTool === undefined ? "in whole" : `with the \`${readTool}\` tool`) +
    " and follow it. If several fit, take the one that fits best. If none fits, take none.",
  "Relative paths in a skill's text start at its `<base_dir>`.",
  ...(lacking
    ? [
        "A skill listed as unavailable cannot be used until what it is missing is there: tell the user what that is."
      ]
    : [])
]

/** `""` without skills. `readTool`: the name of the tool that opens files, where one is on offer. */
export const render = (skills: ReadonlyArray<Skill>, readTool: string | undefined): string => {
  const lacking = skills.filter((skill) => !skill.available)
  if (skills.length === 0) return ""
  return [
    ...rule(readTool, lacking.length > 0),
    "",
    ...block("available_skills", skills.filter((skill) => skill.available).map(available)),
    ...block("unavailable_skills", lacking.map(unavailable))
  ].join("\n")
}
