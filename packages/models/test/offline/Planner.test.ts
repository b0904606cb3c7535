import { describe, expect, test } from "bun:test"
import { Message, type Tool } from "@cow/core"
import * as fc from "fast-check"
import * as InputSchema from "../../src/offline/InputSchema.ts"
import * as Planner from "../../src/offline/Planner.ts"
import { answered, ask, builtins, echo, forecast } from "./Fixture.ts"

const all = [...builtins, echo("message"), forecast]
const called = (message: string, tools: ReadonlyArray<Tool.ToolDefinition> = all) => {
  const plan = Planner.plan(ask(message, tools))
  return plan._tag === "Call" ? [plan.name, plan.input] : plan.text
}
const said = (message: string, tools: ReadonlyArray<Tool.ToolDefinition> = all): string => {
  const plan = Planner.plan(ask(message, tools))
  return plan._tag === "Say" ? plan.text : `called ${plan.name} ${JSON.stringify(plan.input)}`
}

describe("what people ask for becomes a call", () => {
  const cases: ReadonlyArray<readonly [string, string, Message.JsonObject]> = [
    ["list the files here", "ls", {}],
    ["list the files in src", "ls", { path: "src" }],
    ["show me the contents of packages/core", "ls", { path: "packages/core" }],
    ["列出这里的文件", "ls", {}],
    ["read README.md", "read", { path: "README.md" }],
    ["Read README.md.", "read", { path: "README.md" }],
    ["please open /etc/hosts", "read", { path: "/etc/hosts" }],
    ["what is in package.json?", "read", { path: "package.json" }],
    ["write a file notes.txt with 'hello'", "write", { path: "notes.txt", content: "hello" }],
    ['create notes.txt with "hello = world"', "write", { path: "notes.txt", content: "hello = world" }],
    ["run `ls -la`", "bash", { command: "ls -la" }],
    ["run `A=1 make` please", "bash", { command: "A=1 make" }],
    ["replace 'a' with 'b' in x.txt", "edit", { path: "x.txt", oldText: "a", newText: "b" }],
    ["search for 'TODO' in src/", "search_files", { pattern: "TODO", path: "src/" }],
    ["fetch https://example.com/a?b=c.", "web_fetch", { url: "https://example.com/a?b=c" }],
    ["use the echo tool with message=hello", "mcp__x__echo", { message: "hello" }],
    ["use the echo tool with text=hello", "mcp__x__echo", { message: "hello" }],
    ["use the echo tool to say 'hello there'", "mcp__x__echo", { message: "hello there" }],
    ['call mcp__x__echo with {"message": "a \\"b\\" {c}"}', "mcp__x__echo", { message: 'a "b" {c}' }],
    ["echo message=hi", "mcp__x__echo", { message: "hi" }],
    ["echo hello there", "mcp__x__echo", { message: "hello there" }],
    ["use echo with message hello", "mcp__x__echo", { message: "hello" }],
    ["use the echo tool with hello", "mcp__x__echo", { message: "hello" }],
    ["run ls -la", "bash", { command: "ls -la" }],
    ["search for TODO in src", "search_files", { pattern: "TODO", path: "src" }],
    ["find files named *.ts", "search_files", { pattern: "*.ts" }],
    ["what's the weather in Paris", "mcp__weather__get_forecast", { city: "Paris" }],
    ["echo: hi there", "mcp__x__echo", { message: "hi there" }],
    ["weather forecast for Berlin", "mcp__weather__get_forecast", { city: "Berlin" }],
    [
      "get_forecast city=Berlin days=3 units=metric",
      "mcp__weather__get_forecast",
      { city: "Berlin", days: 3, units: "metric" }
    ],
    ["use the knowledge-wiki skill to note something", "read", { path: "/skills/knowledge-wiki/SKILL.md" }],
    ["make an invoice for the customer", "read", { path: "/skills/invoice-maker/SKILL.md" }]
  ]
  for (const [message, name, input] of cases)
    test(message, () => {
      expect(called(message)).toEqual([name, input])
    })

  test("a property of another name still gets the only text", () => {
    expect(called("use the echo tool with message=hello", [...builtins, echo("text")])).toEqual([
      "mcp__x__echo",
      { text: "hello" }
    ])
  })
})

describe("what cannot be called is said", () => {
  test("a missing argument is asked for by name", () => {
    expect(said("write a file notes.txt")).toContain("`content`")
    expect(said("use the bash tool")).toContain("`command`")
    expect(said("use the todo tool")).toContain("`items`")
  })

  test("the answer to such a question completes the call", () => {
    const first = ask("write a file notes.txt", all)
    const question = Planner.plan(first)
    const second = Planner.plan({
      ...first,
      messages: [...first.messages, Message.assistantText(question.text), Message.userText('content="hello"')]
    })
    expect(second).toMatchObject({
      _tag: "Call",
      name: "write",
      input: { path: "notes.txt", content: "hello" }
    })
  })

  test("which skills there are, and what the unavailable ones miss", () => {
    for (const message of [
      "which skills do you have?",
      "What skills are available",
      "list skills",
      "有哪些技能"
    ]) {
      const text = said(message)
      expect(text).toContain("knowledge-wiki: Keep notes & pages in a wiki <markdown>.")
      expect(text).toContain("invoice-maker")
      expect(text).toContain("video-cut: Cut videos. (missing bins: ffmpeg")
    }
  })

  test("which tools there are", () => {
    expect(said("which tools do you have?")).toContain("- mcp__x__echo: Says it back.")
  })

  test("greetings and what no rule fits get an honest introduction", () => {
    for (const message of ["hello", "Hi!", "what is the meaning of life", "???", ""]) {
      expect(said(message)).toContain("no language model")
      expect(said(message)).toContain("ANTHROPIC_API_KEY")
    }
  })

  test("with tool choice none it never calls", () => {
    expect(Planner.plan(ask("list the files here", all, { toolChoice: "none" }))._tag).toBe("Say")
  })
})

describe("after a result", () => {
  const first = ask("list the files here", all)
  const call = { name: "ls", input: {} }

  test("the result is reported as text", () => {
    expect(Planner.plan(answered(first, call, "a.txt\nb.txt"))).toEqual({
      _tag: "Say",
      text: "`ls` gave:\n\na.txt\nb.txt"
    })
  })

  test("an error is said to be one", () => {
    expect(Planner.plan(answered(first, call, "no such folder", "error")).text).toStartWith("`ls` failed:")
    expect(Planner.plan(answered(first, call, '{"status":"denied"}', "denied")).text).toContain(
      "was not allowed"
    )
  })

  test("a long result is cut", () => {
    expect(Planner.plan(answered(first, call, "x".repeat(100_000))).text.length).toBeLessThan(5000)
  })

  test("a request for a last answer reports what there is", () => {
    const after = answered(first, call, "a.txt")
    const messages = [...after.messages, Message.userText("Answer now without tools.")]
    expect(Planner.plan({ ...after, messages, toolChoice: "none" }).text).toContain("a.txt")
  })

  test("the next message is a new turn", () => {
    const after = answered(first, call, "a.txt")
    const messages = [...after.messages, Message.assistantText("done"), Message.userText("read a.txt")]
    expect(Planner.plan({ ...after, messages })).toMatchObject({
      _tag: "Call",
      name: "read",
      input: { path: "a.txt" }
    })
  })

  const skill =
    "---\nname: knowledge-wiki\n---\n# Wiki\n\n1. Open the index.\n2. Add a page.\n\n## Rules\ntext"
  const readSkill = { name: "read", input: { path: "/skills/knowledge-wiki/SKILL.md" } }

  test("a skill that was read is told in short", () => {
    const text = Planner.plan(answered(ask("use the knowledge-wiki skill", all), readSkill, skill)).text
    expect(text).toContain("Wiki · Rules")
    expect(text).toContain("1. Open the index.")
    expect(text).not.toContain("name: knowledge-wiki")
  })

  test("a skill that was read with line numbers is told without them", () => {
    const numbered = skill
      .split("\n")
      .map((line, at) => `${at + 1}\t${line}`)
      .join("\n")
    expect(
      Planner.plan(answered(ask("use the knowledge-wiki skill", all), readSkill, numbered)).text
    ).toContain("Wiki · Rules")
  })

  test("after the skill it goes on with the tool that the message names, once", () => {
    const request = answered(
      ask("use the knowledge-wiki skill, then write index.md with 'hi'", all),
      readSkill,
      skill
    )
    const next = Planner.plan(request)
    expect(next).toMatchObject({ _tag: "Call", name: "write", input: { path: "index.md", content: "hi" } })
    const input = next._tag === "Call" ? next.input : {}
    expect(Planner.plan(answered(request, { name: "write", input }, "written"))).toMatchObject({
      _tag: "Say"
    })
  })
})

const words = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "use",
        "the",
        "echo",
        "tool",
        "read",
        "write",
        "skill",
        "knowledge-wiki",
        "list",
        "files",
        "a.txt",
        "'x'",
        "`y`",
        "{",
        "}",
        '{"a":1}',
        "message=",
        "k=v",
        "3",
        "$&",
        "__proto__",
        "constructor=1",
        "https://x.y"
      ),
      { maxLength: 12 }
    )
    .map((parts) => parts.join(" "))
)
const scalar = fc.constantFrom<Message.JsonObject>(
  { type: "string" },
  { type: "number" },
  { type: "integer" },
  { type: "boolean" },
  { enum: ["a", "b"] },
  { type: ["string", "null"] },
  { anyOf: [{ type: "null" }, { type: "integer" }] },
  { type: "array", items: { type: "string" } },
  { type: "object" },
  {}
)
const anyTool = fc
  .record({
    name: fc.constantFrom("mcp__s__echo", "read", "weird (name", "mcp__a__b"),
    schema: fc.dictionary(fc.constantFrom("path", "message", "a", "k", "count", "__proto__"), scalar),
    required: fc.subarray(["path", "message", "a", "k", "ghost"])
  })
  .map(
    ({ name, schema, required }): Tool.ToolDefinition => ({
      name,
      description: `echo ${name}`,
      inputSchema: { type: "object", properties: schema, required }
    })
  )

test("whatever is said, arguments have what the schema requires and fit its types, or it is asked for", () => {
  fc.assert(
    fc.property(words, fc.array(anyTool, { maxLength: 4 }), (message, tools) => {
      const plan = Planner.plan(ask(message, tools))
      if (plan._tag === "Say") return expect(plan.text.length).toBeGreaterThan(0)
      const tool = tools.find(({ name }) => name === plan.name) as Tool.ToolDefinition
      expect(tool).toBeDefined()
      if (Object.values(plan.input).includes("/skills/knowledge-wiki/SKILL.md")) return
      for (const property of InputSchema.properties(tool.inputSchema)) {
        const value = Object.hasOwn(plan.input, property.name) ? plan.input[property.name] : undefined
        if (property.required) expect(value).toBeDefined()
        if (value !== undefined) expect(InputSchema.fits(property, value)).toBe(true)
      }
    }),
    { numRuns: 500 }
  )
})

test("no message leads to more than two calls or to the same call twice", () => {
  fc.assert(
    fc.property(words, fc.constantFrom<Message.ToolStatus>("ok", "error", "denied"), (message, status) => {
      let request = ask(message, all)
      const calls: Array<string> = []
      for (;;) {
        const plan = Planner.plan(request)
        if (plan._tag === "Say") break
        calls.push(JSON.stringify([plan.name, plan.input]))
        expect(calls.length).toBeLessThanOrEqual(2)
        request = answered(request, plan, "# Result", status)
      }
      expect(new Set(calls).size).toBe(calls.length)
    })
  )
})

test("a long message is planned in time", () => {
  for (const piece of ["{", '"', "a=", "/", "'x ", "use the "]) {
    const began = performance.now()
    Planner.plan(ask(piece.repeat(50_000), all))
    expect(performance.now() - began).toBeLessThan(2000)
  }
})
