import { expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(120_000)

test("whatever is asked for by a name that nothing has ends with 42 and names a near one", async () => {
  using cow = new Cow()
  cow.write(
    "cow-home/mcp.json",
    JSON.stringify({ mcpServers: { boxes: { command: "true", enabled: false } } })
  )
  cow.write("cow-home/skills/teapot/SKILL.md", "---\nname: teapot\ndescription: Makes tea.\n---\nPour.\n")
  await cow.run(["persona", "add", "helper"])
  await cow.run(["run", "--session", "morning", "hi"])
  const near: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ...["get", "remove", "enable", "tools", "logout"].map(
      (what) => ["boxes", ["mcp", what, "boxed"]] as const
    ),
    ["boxes", ["mcp", "grant", "boxed", "default"]],
    ["helper", ["mcp", "grant", "boxes", "helpers"]],
    ...["info", "enable", "uninstall"].map((what) => ["teapot", ["skill", what, "teapots"]] as const),
    ["search_files", ["tools", "explain", "search_file"]],
    ["search_files", ["tools", "call", "search_file"]],
    ...["show", "delete"].map((what) => ["morning", ["session", what, "mornin"]] as const),
    ...["show", "remove"].map((what) => ["helper", ["persona", what, "helpers"]] as const),
    ["helper", ["run", "--persona", "helpers", "hi"]],
    ["anthropic", ["run", "--model", "antropic/x", "hi"]],
    ["agent_max_steps", ["config", "get", "agent_max_step"]]
  ]
  const ended = await Promise.all(
    near.map(async ([name, args]) => ({ name, args, ...(await cow.run(args)) }))
  )
  for (const { args, code, name, stderr } of ended) {
    expect([args, code]).toEqual([args, 42])
    expect([args, stderr]).toEqual([args, expect.stringContaining(name)])
  }
})

test("a tool that its server could still bring is no unknown one", async () => {
  using cow = new Cow()
  cow.write(
    "cow-home/mcp.json",
    JSON.stringify({ mcpServers: { boxes: { command: "true", enabled: false } } })
  )
  const { code, stdout } = await cow.run(["tools", "explain", "mcp__boxes__put", "--json"])
  expect([code, JSON.parse(stdout).allowed]).toEqual([0, false])
})
