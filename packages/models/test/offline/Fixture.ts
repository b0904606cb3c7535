/** A request as the agent makes it: system prompt with skills, the built-in tools, and two MCP tools. */
import { Message, type Model, type Tool } from "@cow/core"

const tool = (
  name: string,
  description: string,
  properties: Message.JsonObject,
  required: ReadonlyArray<string> = []
): Tool.ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: [...required] }
})

const text = (description = "") => ({ type: "string", description })
const integer = { type: "integer" }

export const builtins = [
  tool(
    "bash",
    "Run a shell command.",
    { command: text(), timeout: { type: "number" }, run_in_background: { type: "boolean" } },
    ["command"]
  ),
  tool(
    "edit",
    "Replace text in a file.",
    { path: text(), oldText: text(), newText: text(), replaceAll: { type: "boolean" } },
    ["path", "oldText", "newText"]
  ),
  tool("ls", "List a folder.", { path: text(), limit: integer }),
  tool("read", "Read a file: text, image or PDF.", { path: text(), offset: integer, limit: integer }, [
    "path"
  ]),
  tool(
    "search_files",
    "Find files by name or content.",
    { pattern: text(), path: text(), max_results: integer },
    ["pattern"]
  ),
  tool("todo", "Keep a list of steps.", { items: { type: "array", items: { type: "object" } } }, ["items"]),
  tool("web_fetch", "Fetch a web page as text.", { url: text() }, ["url"]),
  tool("write", "Write a file.", { path: text(), content: text("The whole content") }, ["path", "content"])
]

export const echo = (property: string) =>
  tool("mcp__x__echo", "Says it back.", { [property]: text() }, [property])
export const forecast = tool(
  "mcp__weather__get_forecast",
  "Weather forecast for a city.",
  { city: text("Name of the city"), days: integer, units: { enum: ["metric", "imperial"] } },
  ["city"]
)

export const skillPrompt = `Skills are no tools. To use one, read its file with the \`read\` tool.

<available_skills>
  <skill>
    <name>knowledge-wiki</name>
    <description>Keep notes &amp; pages in a wiki &lt;markdown&gt;.</description>
    <location>/skills/knowledge-wiki/SKILL.md</location>
    <base_dir>/skills/knowledge-wiki</base_dir>
  </skill>
  <skill>
    <name>invoice-maker</name>
    <description>Make an invoice as PDF for a customer.</description>
    <location>/skills/invoice-maker/SKILL.md</location>
    <base_dir>/skills/invoice-maker</base_dir>
  </skill>
</available_skills>
<unavailable_skills>
  <skill><name>video-cut</name><description>Cut videos.</description><missing>bins: ffmpeg</missing><setup>apt install ffmpeg</setup></skill>
</unavailable_skills>`

export const ask = (
  message: string,
  tools: ReadonlyArray<Tool.ToolDefinition> = builtins,
  more: Partial<Model.ModelRequest> = {}
): Model.ModelRequest => ({
  system: [
    { text: "You are Cow.", stable: true },
    { text: skillPrompt, stable: true }
  ],
  messages: [Message.userText(message)],
  tools,
  toolChoice: "auto",
  ...more
})

/** The same request after the call was made and answered. */
export const answered = (
  request: Model.ModelRequest,
  call: { readonly name: string; readonly input: Message.JsonObject },
  result: string,
  status: Message.ToolStatus = "ok"
): Model.ModelRequest => {
  const id = `c${request.messages.length}`
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", parts: [{ type: "tool_call", id, ...call }] },
      {
        role: "user",
        parts: [{ type: "tool_result", callId: id, name: call.name, status, content: [Message.text(result)] }]
      }
    ]
  }
}
