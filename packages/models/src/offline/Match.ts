/**
 * Which tool or skill a message means: by its name, by the habit of a built-in one, or by the words it shares with a
 * description. Pure; filling in arguments is `ArgumentFill`.
 */
import { type Tool, Words } from "@cow/core"
import type { Clues } from "./Clues.ts"
import type { OfferedSkill } from "./SkillBlock.ts"

const stopWords = new Set(
  Words.split(
    "a an the of to in on at for from with and or by as is are be do does did you your me my i we our it its this that these those please can could would should will use using used tool tools skill skills what which how who where when why have has there here hello hi thanks need want give make get let all any some about into just now not"
  )
)

/** The words of a text that tell things apart, without repeats. */
const telling = (text: string): ReadonlySet<string> =>
  new Set(
    Words.split(text).filter(
      (word) => !stopWords.has(word) && (word.length > 1 || /\p{Script=Han}/u.test(word))
    )
  )

/** `mcp__server__tool` → `tool`; other names as they are. */
export const bareName = (name: string): string => /^mcp__.+?__(.+)$/.exec(name)?.[1] ?? name

const escape = (text: string): string => text.replace(/[^\w\s]/g, "\\$&")

/** The name as a word of its own, quoted or not, `_`, `-` and a blank being the same. */
const nameWord = (name: string): string => `["'\`“]?${escape(name).replace(/_|\\-/g, "[\\s_-]")}["'\`”]?`

const asked = (message: string, name: string): boolean => {
  const word = nameWord(name)
  return (
    new RegExp(
      `(?:^|[^\\w-])(?:use|using|call|invoke|try|with|via|through)\\s+(?:the\\s+|my\\s+)?${word}(?![\\w-])`,
      "i"
    ).test(message) || new RegExp(`(?:^|[^\\w-])${word}\\s+(?:tool|skill)(?![\\w-])`, "i").test(message)
  )
}

/** The name where a verb stands, or a name that no sentence has by chance. */
const spoken = (message: string, name: string): boolean => {
  const word = nameWord(name)
  if (
    new RegExp(`^\\W*(?:please\\s+|now\\s+|then\\s+|can you\\s+|could you\\s+)*${word}(?![\\w-])`, "i").test(
      message
    )
  )
    return true
  return /[_-]/.test(name) && new RegExp(`(?:^|[^\\w-])${escape(name)}(?![\\w-])`, "i").test(message)
}

const longest = <A extends { readonly name: string }>(found: ReadonlyArray<A>): A | undefined =>
  [...found].sort((left, right) => bareName(right.name).length - bareName(left.name).length)[0]

/** The tool that the message names outright. */
export const toolByName = (
  message: string,
  tools: ReadonlyArray<Tool.ToolDefinition>
): Tool.ToolDefinition | undefined =>
  longest(
    tools.filter(
      ({ name }) =>
        new RegExp(`(?:^|[^\\w-])${escape(name)}(?![\\w-])`).test(message) && name.startsWith("mcp__")
    )
  ) ??
  longest(tools.filter(({ name }) => asked(message, name) || asked(message, bareName(name)))) ??
  longest(tools.filter(({ name }) => spoken(message, bareName(name))))

const calledFor = [
  /(?:^|[^\w-])(mcp__[\w-]+)/,
  /\b(?:use|using|call|invoke|try|with|via|through)\s+(?:the\s+|my\s+)?["'`“]?([A-Za-z][\w-]*)["'`”]?\s+tool\b/i,
  /\b(?:use|using|call|invoke|try)\s+(?:the\s+|my\s+)?tool\s+["'`“]?([A-Za-z][\w-]*)/i,
  /(?:使用|用|调用)\s*["'`“]?([A-Za-z][\w-]*)["'`”]?\s*(?:这个)?工具/
]
const noNames = new Set([
  "a",
  "an",
  "any",
  "some",
  "the",
  "this",
  "that",
  "which",
  "right",
  "best",
  "mcp",
  "to",
  "for"
])

/** The name of the tool that the message calls for outright (`use the echo tool`), whether there is one or not. */
export const calledName = (message: string): string | undefined => {
  for (const pattern of calledFor) {
    const name = pattern.exec(message)?.[1]
    if (name !== undefined && !noNames.has(name.toLowerCase())) return name
  }
  return undefined
}

export const skillByName = (message: string, skills: ReadonlyArray<OfferedSkill>): OfferedSkill | undefined =>
  longest(skills.filter(({ name }) => name !== "" && asked(message, name))) ??
  longest(skills.filter(({ name }) => name !== "" && spoken(message, name)))

interface Habit {
  readonly tool: string
  readonly when: (message: string, clues: Clues) => boolean
}

/** What people say for the built-in tools. */
const habits: ReadonlyArray<Habit> = [
  {
    tool: "bash",
    when: (text, { code }) => code.length > 0 && /\b(run|execute|shell|command)\b|运行|执行/i.test(text)
  },
  { tool: "web_fetch", when: (_, { urls }) => urls.length > 0 },
  {
    tool: "edit",
    when: (text, { quoted }) => quoted.length >= 2 && /\b(replace|change|edit|rename)\b|替换/i.test(text)
  },
  {
    tool: "write",
    when: (text, { paths }) => paths.length > 0 && /\b(write|create|save|put)\b|写|创建|保存/i.test(text)
  },
  {
    tool: "search_files",
    when: (text, { quoted }) => quoted.length > 0 && /\b(search|find|grep|look for)\b|搜索|查找/i.test(text)
  },
  {
    tool: "ls",
    when: (text) =>
      /\b(list|show|what|which|see)\b.*\b(files?|folders?|director(y|ies)|contents?)\b|(列出|哪些|查看).*(文件|目录)/i.test(
        text
      )
  },
  {
    tool: "read",
    when: (text, { paths }) =>
      paths.length > 0 && /\b(read|open|show|cat|print|display|see|what)\b|读|打开|查看/i.test(text)
  }
]

export const toolByHabit = (
  message: string,
  clues: Clues,
  tools: ReadonlyArray<Tool.ToolDefinition>
): Tool.ToolDefinition | undefined => {
  for (const habit of habits) {
    const tool = tools.find(({ name }) => name === habit.tool)
    if (tool !== undefined && habit.when(message, clues)) return tool
  }
  return undefined
}

interface Scored<A> {
  readonly value: A
  readonly score: number
}

/**
 * The one that shares the most telling words with the message: words of the name count three times, rare words more.
 * Nothing, unless a word of the name or two words of the description are shared.
 */
export const byWords = <A extends { readonly name: string; readonly description: string }>(
  message: string,
  all: ReadonlyArray<A>
): Scored<A> | undefined => {
  const wanted = telling(message)
  const known = all.map((value) => ({
    value,
    name: telling(value.name.replace(/^mcp__/, "")),
    words: telling(value.description.slice(0, 1000))
  }))
  const rarity = (word: string): number => {
    const holders = known.filter(({ name, words }) => name.has(word) || words.has(word)).length
    return Math.log(1 + all.length / Math.max(1, holders))
  }
  let best: Scored<A> | undefined
  for (const { value, name, words } of known) {
    const named = [...wanted].filter((word) => name.has(word))
    const described = [...wanted].filter((word) => !name.has(word) && words.has(word))
    if (named.length === 0 && described.length < 2) continue
    const score = [...named.map((word) => 3 * rarity(word)), ...described.map(rarity)].reduce(
      (a, b) => a + b,
      0
    )
    if (best === undefined || score > best.score) best = { value, score }
  }
  return best
}
