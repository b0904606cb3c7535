/** A tool as search sees it: the texts by which it can be found, heaviest first. Pure. */
import { JsonValue, type Message, type ToolTable, Words } from "@cow/core"

export interface ToolDocument {
  /** What results name it by. */
  readonly id: string
  readonly server: string
  /** The tool's own name at its source. */
  readonly name: string
  readonly description: string
  readonly params: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

const paramsOf = (schema: Message.JsonObject): ToolDocument["params"] =>
  JsonValue.isObject(schema.properties)
    ? Object.entries(schema.properties).map(([name, property]) => ({
        name,
        description:
          JsonValue.isObject(property) && typeof property.description === "string" ? property.description : ""
      }))
    : []

export const fromTool = ({ tool }: ToolTable.RegisteredTool): ToolDocument => ({
  id: tool.name,
  server: tool.spec.server,
  name: tool.spec.tool,
  description: tool.description,
  params: paramsOf(tool.inputSchema)
})

/** How much a word counts by where it stands. */
const weights = { name: 3, server: 1, description: 1, paramName: 1, paramDescription: 0.5 }

/** Weighted count of each word. */
export const terms = (document: ToolDocument): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of Words.split(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
  }
  add(document.name, weights.name)
  add(document.server, weights.server)
  add(document.description, weights.description)
  for (const { description, name } of document.params) {
    add(name, weights.paramName)
    add(description, weights.paramDescription)
  }
  return counts
}

/** A name however it is written: `readFile`, `read_file` and `read-file` are one. */
export const nameKey = (name: string): string => Words.split(name).join(" ")

/** Every way of naming the tool: its own name, with its server, and as models see it. */
export const nameKeys = ({ id, name, server }: ToolDocument): ReadonlySet<string> =>
  new Set([nameKey(name), nameKey(`${server} ${name}`), nameKey(id)])
