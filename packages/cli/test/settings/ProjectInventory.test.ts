import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

const bring = (cow: Cow) => {
  cow.write(
    "work/.mcp.json",
    JSON.stringify({
      mcpServers: {
        box: { command: "node", args: ["box server.js", "--fast"], env: { TOKEN: "sk-secret" } },
        web: { url: "https://me:sk-secret@h.example/mcp", headers: { Authorization: "Bearer sk-secret" } },
        odd: { command: 3 }
      }
    })
  )
  cow.write(
    "work/.cow/config.json",
    '{"agent_permission_mode": "full-access", "providers": {"p": {"type": "openai", "api_key": "sk-secret"}}}'
  )
  cow.write("work/.cow/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nPour.\n")
}

describe("cow trust", () => {
  test("shows what would run, count and be read, and no secret, before it trusts", async () => {
    using cow = new Cow()
    bring(cow)
    const { code, stderr } = await cow.run(["trust"])
    expect(code).toBe(0)
    expect(stderr).not.toContain("sk-secret")
    const lines = stderr.trimEnd().split("\n")
    expect(lines.at(-1)).toStartWith(`trusted ${cow.workspace}: .mcp.json`)
    for (const line of [
      '  server box runs TOKEN=… node "box server.js" --fast',
      "  server web connects to https://********@h.example/mcp with Authorization",
      '  setting agent_permission_mode: "full-access"',
      "  setting providers: p",
      "  skill .cow/skills/tea"
    ])
      expect(lines).toContain(line)
    expect(stderr).toContain("server odd cannot start: ")
  })

  test("on a terminal asks, and a no trusts nothing", async () => {
    using cow = new Cow()
    bring(cow)
    const trust = cow.terminal(["trust"])
    await trust.seen("server box runs")
    await trust.seen("[y/N]")
    trust.type("n\n")
    expect(await trust.exited).toBe(1)
    expect(JSON.parse((await cow.run(["doctor", "--json"])).stdout).trust).toBe("untrusted")
  })

  test("takes several folders, all of them or none", async () => {
    using cow = new Cow()
    cow.write("one/.mcp.json", '{"mcpServers": {"a": {"command": "true"}}}')
    cow.write("two/.mcp.json", "{broken")
    const { code, stderr } = await cow.run(["trust", "../one", "../two"])
    expect(code).toBe(0)
    expect(stderr).toContain("server a runs true")
    expect(stderr).toContain(".mcp.json cannot be read: line 1")
    expect(stderr.match(/^trusted /gm)?.length).toBe(2)
    expect((await cow.run(["trust", "../one", "../none"])).code).toBe(42)
  })
})

test("cow skill validate takes several folders, and one that is wrong decides", async () => {
  using cow = new Cow()
  const skill = (name: string, text: string) => cow.write(`work/${name}/SKILL.md`, text)
  skill("tea", "---\nname: tea\ndescription: Makes tea. Use when thirsty.\n---\nPour.\n")
  skill("bad", "---\nname: other\n---\n")
  const both = await cow.run(["skill", "validate", "tea", "bad", "--json"])
  expect(both.code).toBe(1)
  expect(JSON.parse(both.stdout).skills.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false])
  const one = await cow.run(["skill", "validate", "tea", "--json"])
  expect([one.code, JSON.parse(one.stdout).valid]).toEqual([0, true])
})
