/**
 * The skills section of the system prompt: the rule, then a card a skill. Pure; the same skills give the same bytes.
 *
 * Bodies never enter. Which skills are shown is `SkillLibrary`; which of them there is room for, `SkillListing`.
 */
import type { Skill } from "../manifest/Skill.ts"
import * as SkillCards from "./SkillCards.ts"
import * as SkillListing from "./SkillListing.ts"

export interface PromptOptions {
  /** Of the section, in UTF-16 units. Absent: what the smallest model gets. */
  readonly maxChars?: number
  /** The name of the tool that finds skills, where one is on offer. */
  readonly searchTool?: string | undefined
}

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

const unlisted = (count: number, searchTool: string | undefined): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        `${count} more ${count === 1 ? "skill is" : "skills are"} not listed here for lack of room. ` +
          (searchTool === undefined
            ? "Tell the user that `cow skill list` shows all of them."
            : `When none below fits, look for one with the \`${searchTool}\` tool.`)
      ]

/** More than any count adds to the length of the notice. */
const noticeChars = unlisted(9_999_999, "x".repeat(64)).join("\n").length + 1

/** Which skills the section lists under these options. */
export const listing = (
  skills: ReadonlyArray<Skill>,
  readTool: string | undefined,
  maxChars: number = SkillListing.maxCharsOf(0)
): SkillListing.Listing => {
  const head = rule(readTool, true).join("\n").length + 2
  const whole = SkillListing.choose(skills, maxChars - head)
  return whole.unlisted.length === 0 ? whole : SkillListing.choose(skills, maxChars - head - noticeChars)
}

/** `""` without skills. `readTool`: the name of the tool that opens files, where one is on offer. */
export const render = (
  skills: ReadonlyArray<Skill>,
  readTool: string | undefined,
  { maxChars, searchTool }: PromptOptions = {}
): string => {
  if (skills.length === 0) return ""
  const room = listing(skills, readTool, maxChars)
  const lacking = room.listed.some((skill) => !skill.available)
  return [
    ...rule(readTool, lacking),
    ...unlisted(room.unlisted.length, searchTool),
    "",
    SkillCards.blocks(room.listed, room.descriptionChars)
  ].join("\n")
}
