import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"
import { Provider } from "../support/Provider.ts"

setDefaultTimeout(60_000)

interface Found {
  readonly ok: boolean
  readonly model: { readonly answers: boolean | null }
  readonly problems: ReadonlyArray<{
    readonly severity: string
    readonly message: string
    readonly fix: string
  }>
}

const examine = async (cow: Cow, ...args: ReadonlyArray<string>) => {
  const { code, stdout } = await cow.run(["doctor", "--json", ...args])
  return { code, found: JSON.parse(stdout) as Found }
}

describe("cow doctor", () => {
  test("tries the provider and says what came back", async () => {
    using model = new Provider([{ text: "ok" }])
    using works = new Cow(model.config)
    expect(await examine(works)).toMatchObject({ code: 0, found: { ok: true, model: { answers: true } } })
    expect(model.requests.length).toBe(1)
    expect((await examine(works, "--offline")).found.model.answers).toBeNull()
    expect(model.requests.length).toBe(1)
    const { providers } = model.config
    const nobody = { ...providers.fake, base_url: "http://127.0.0.1:9/v1" }
    using broken = new Cow({ model: "fake/m", providers: { fake: nobody } })
    const { code, found } = await examine(broken)
    expect([code, found.ok, found.model.answers]).toEqual([1, false, false])
    expect(found.problems[0]).toMatchObject({
      severity: "error",
      message: expect.stringContaining("127.0.0.1:9")
    })
  })

  test("names what is not trusted and what has no effect, each with something to type", async () => {
    using cow = new Cow({
      model: "offline/cow",
      plugins: ["x"],
      modle: 1,
      agent_permission_mode: "yolo",
      mcp_allow_arbitrary_stdio: true
    })
    cow.write("work/.cow/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nPour.\n")
    cow.write("work/.cow/skills/odd/SKILL.md", "no head")
    cow.write("work/.mcp.json", '{"mcpServers": {"box": {"command": "true"}}}')
    const { found } = await examine(cow)
    const messages = found.problems.map(({ message }) => message).join("\n")
    for (const words of ["skill tea", '"plugins" is not in this version', '"modle"', "yolo", "box", "odd"])
      expect(messages).toContain(words)
    for (const { fix, message } of found.problems)
      expect([message, fix]).toEqual([message, expect.stringMatching(/\S/)])
  })
})

test("after init no command speaks of what init wrote but the doctor", async () => {
  using cow = new Cow()
  expect((await cow.run(["init"])).code).toBe(0)
  for (const args of [
    ["persona", "list"],
    ["config", "get"]
  ])
    expect((await cow.run(args)).stderr).toBe("")
  const { found } = await examine(cow, "--offline")
  expect(found.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('"mcp_tool_retrieval_enabled" has no effect: this version sends every tool')
  ])
})

test("explain says that a command may need a person's consent", async () => {
  using cow = new Cow()
  const explain = async (...args: ReadonlyArray<string>) =>
    JSON.parse((await cow.run(["tools", "explain", "--json", ...args])).stdout)
  const bash = await explain("bash")
  expect([bash.allowed, bash.requires_confirmation]).toEqual([true, true])
  expect(bash.steps.at(-1)).toMatchObject({
    ok: false,
    detail: expect.stringContaining("depends on the call")
  })
  expect((await explain("bash", "--permission", "full-access")).requires_confirmation).toBe(false)
  expect((await explain("write")).requires_confirmation).toBe(false)
})
