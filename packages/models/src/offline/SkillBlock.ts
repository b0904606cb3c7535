/** The skills that a system prompt offers, read back from its `<available_skills>` block, and the tool that reads them. */
import type { Model, Tool } from "@cow/core"

export interface OfferedSkill {
  readonly name: string
  readonly description: string
  /** Absolute path of its SKILL.md. */
  readonly location: string
}

interface UnavailableSkill {
  readonly name: string
  readonly description: string
  /** As the prompt has it: `bins: a, b; env: K`. */
  readonly missing: string
  readonly setup: string
}

export interface SkillOffer {
  readonly available: ReadonlyArray<OfferedSkill>
  readonly unavailable: ReadonlyArray<UnavailableSkill>
  readonly reader: Tool.ToolDefinition | undefined
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const unescape = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => entities[name] ?? whole)

const inside = (text: string, tag: string): string | undefined => {
  const start = text.indexOf(`<${tag}>`)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? undefined : text.slice(start + tag.length + 2, end)
}

const field = (text: string, tag: string): string => unescape(inside(text, tag) ?? "").trim()

const items = (text: string, tag: string): ReadonlyArray<string> =>
  (inside(text, tag) ?? "").split("</skill>").flatMap((part) => {
    const start = part.indexOf("<skill>")
    return start < 0 ? [] : [part.slice(start + "<skill>".length)]
  })

const hasPath = (tool: Tool.ToolDefinition): boolean => {
  const properties = tool.inputSchema.properties
  return (
    typeof properties === "object" &&
    properties !== null &&
    /path|file/i.test(Object.keys(properties).join(" "))
  )
}

/** The tool that the text before the block names; else the one called `read`. */
const readerOf = (rule: string, tools: ReadonlyArray<Tool.ToolDefinition>): Tool.ToolDefinition | undefined =>
  tools.find((tool) => hasPath(tool) && rule.includes(`\`${tool.name}\``)) ??
  tools.find(
    (tool) => hasPath(tool) && new RegExp(`\\b${tool.name.replace(/\W/g, "\\$&")} tool\\b`).test(rule)
  ) ??
  tools.find((tool) => tool.name === "read")

export const find = (request: Pick<Model.ModelRequest, "system" | "tools">): SkillOffer => {
  const text = request.system.map((part) => part.text).join("\n\n")
  const at = text.search(/<(un)?available_skills>/)
  const section = at < 0 ? "" : text.slice(Math.max(0, at - 1500), at)
  return {
    available: items(text, "available_skills").map((item) => ({
      name: field(item, "name"),
      description: field(item, "description"),
      location: field(item, "location")
    })),
    unavailable: items(text, "unavailable_skills").map((item) => ({
      name: field(item, "name"),
      description: field(item, "description"),
      missing: field(item, "missing"),
      setup: field(item, "setup")
    })),
    reader: readerOf(section, request.tools)
  }
}
