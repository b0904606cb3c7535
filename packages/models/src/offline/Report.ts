/** What the offline model says: results in its own words, lists of tools and skills, and what it is. Pure. */
import { Excerpt, type Message, type Tool } from "@cow/core"
import type { Property } from "./InputSchema.ts"
import type { SkillOffer } from "./SkillBlock.ts"

const maxResultChars = 4000
const maxLineChars = 160

const firstLine = (text: string): string => {
  const line = text.trim().split(/\n|(?<=\D[.!?]) /)[0] ?? ""
  return line.length <= maxLineChars ? line : `${Excerpt.head(line, maxLineChars)}…`
}

const verbs: Record<Message.ToolStatus, string> = {
  ok: "gave",
  error: "failed",
  timeout: "timed out",
  denied: "was not allowed",
  cancelled: "was cancelled"
}

const result = ({ name, status, content }: Message.ToolResultPart): string => {
  const text = content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim()
  const images = content.filter((part) => part.type === "image").length
  const seen =
    images === 0 ? "" : `\n\n(and ${images} ${images === 1 ? "image" : "images"}, which I cannot see)`
  if (text === "" && status === "ok") return `\`${name}\` ran and gave no text.${seen}`
  const cut = Excerpt.middle(text, maxResultChars, `\n… (${text.length} characters in all) …\n`)
  return `\`${name}\` ${verbs[status]}:\n\n${cut}${seen}`
}

export const results = (parts: ReadonlyArray<Message.ToolResultPart>): string =>
  parts.map(result).join("\n\n")

export const ask = (tool: string, missing: ReadonlyArray<Property>): string => {
  const wanted = missing.map(({ name, types, values, description }) => {
    const kind =
      values === undefined
        ? types.filter((type) => type !== "any").join(" or ")
        : values.map(String).join(" | ")
    const notes = [kind, firstLine(description)].filter((note) => note !== "").join(": ")
    return notes === "" ? `\`${name}\`` : `\`${name}\` (${notes})`
  })
  const example = missing.map(({ name }) => `${name}="…"`).join(" ")
  return `To call \`${tool}\` I need ${wanted.join(" and ")}. Say it, for example, as ${example}`
}

/** The tool that an earlier `ask` was about. */
export const askedTool = (text: string): string | undefined => /^To call `([^`]+)` I need /.exec(text)?.[1]

export const skills = ({ available, unavailable }: SkillOffer): string => {
  const have = available.map(({ name, description }) => `- ${name}: ${firstLine(description)}`)
  const lack = unavailable.map(({ name, description, missing, setup }) => {
    const fix = setup === "" ? "" : `; to set it up: ${firstLine(setup)}`
    return `- ${name}: ${firstLine(description)} (missing ${missing || "something"}${fix})`
  })
  const parts = [
    ...(have.length === 0
      ? ["There are no skills I could use."]
      : [`I have these skills:\n${have.join("\n")}`]),
    ...(lack.length === 0 ? [] : [`These cannot be used yet:\n${lack.join("\n")}`])
  ]
  return parts.join("\n\n")
}

export const tools = (all: ReadonlyArray<Tool.ToolDefinition>): string =>
  all.length === 0
    ? "I have no tools in this step."
    : `I have these tools:\n${all.map(({ name, description }) => `- ${name}: ${firstLine(description)}`).join("\n")}`

/** Frontmatter and line numbers taken off. */
const body = (text: string): ReadonlyArray<string> => {
  const raw = text.split("\n")
  const numbered = /^\s*\d+(?:\t|→|\s*[|:]\s?)/
  const isNumbered = raw.filter((line) => numbered.test(line)).length >= raw.length * 0.8
  const lines = isNumbered ? raw.map((line) => line.replace(numbered, "")) : raw
  if (lines[0]?.trim() !== "---") return lines
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === "---")
  return end < 0 ? lines : lines.slice(end + 1)
}

const maxHeadings = 8
const maxSteps = 5

/** What a skill says in short: its headings and first steps, or its first lines. */
export const skill = (name: string, text: string): string => {
  const lines = body(text)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const headings = lines.filter((line) => /^#{1,6} /.test(line)).map((line) => line.replace(/^#+ /, ""))
  const steps = lines.filter((line) => /^([-*]|\d+[.)]) /.test(line)).map(firstLine)
  const parts = [`I have read the skill ${name}.`]
  if (headings.length > 0) parts.push(`It is about: ${headings.slice(0, maxHeadings).join(" · ")}`)
  const first = steps.length > 0 ? steps : lines.filter((line) => !line.startsWith("#")).map(firstLine)
  if (first.length > 0) parts.push(`It begins with:\n${first.slice(0, maxSteps).join("\n")}`)
  return parts.join("\n\n")
}

export const noTool = (name: string, all: ReadonlyArray<Tool.ToolDefinition>): string =>
  `I have no tool "${name}". If an MCP server brings it, see \`cow mcp list\`. I have: ${all.map((tool) => tool.name).join(", ") || "none"}.`

export const introduction = (toolCount: number, skillCount: number): string =>
  [
    "I am offline/cow, a built-in rule-based planner and no language model: I match your words to tools and skills, and cannot think or write freely.",
    `I have ${toolCount} ${toolCount === 1 ? "tool" : "tools"} and ${skillCount} ${skillCount === 1 ? "skill" : "skills"}. Try: "list the files here", "read README.md", "which skills do you have?", "which tools do you have?", or "use the NAME tool with key=value".`,
    "For a real model set ANTHROPIC_API_KEY or OPENAI_API_KEY, start an Ollama, or name one with --model or `cow config set model provider/model`."
  ].join("\n\n")
