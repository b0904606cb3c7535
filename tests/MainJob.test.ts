/** The main job, end to end, as a newcomer does it: no key, no network, the program itself. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import path from "node:path"
import { Cow } from "../packages/cli/test/support/Cow.ts"
import { type FakeModel, startFakeModel } from "./FakeModel.ts"

setDefaultTimeout(60_000)

const root = path.resolve(import.meta.dir, "..")
const program = new Cow()
const models: Array<FakeModel> = []
afterAll(() => {
  for (const model of models) model.stop()
  program[Symbol.dispose]()
})

// A newcomer has written nothing.
fs.rmSync(path.join(program.home, "config.json"))
program.write("work/README.md", "# Tea\n\nHow to make tea.\n")
program.write("work/cups.txt", "two\n")

const cow = (args: ReadonlyArray<string>) => program.run(args)

const events = (stdout: string): ReadonlyArray<Record<string, unknown>> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

describe("with no key and no network", () => {
  test("the files here are listed by the ls tool", async () => {
    const { code, stderr, stdout } = await cow(["run", "list the files here", "--output", "json"])
    expect(code).toBe(0)
    expect(stderr).toContain("offline/cow")
    const called = events(stdout).filter(({ type }) => type === "tool_called")
    expect(called.map(({ tool }) => tool)).toEqual(["ls"])
    expect(events(stdout).at(-1)?.text).toContain("cups.txt")
  })

  test("a file is read by the read tool", async () => {
    const { code, stdout } = await cow(["run", "read README.md"])
    expect(code).toBe(0)
    expect(stdout).toContain("How to make tea.")
  })

  test("the bundled skills are named", async () => {
    const { code, stdout } = await cow(["run", "which skills do you have?"])
    expect(code).toBe(0)
    for (const name of ["skill-creator", "mcp-setup", "knowledge-wiki"]) expect(stdout).toContain(name)
  })

  test("an MCP server is added, and its tool is called", async () => {
    const server = path.join(root, "examples/echo-server.mjs")
    expect((await cow(["mcp", "add", "demo", "--", process.execPath, server])).code).toBe(0)
    const { code, stdout } = await cow([
      ...["run", "use the echo tool with message=hello", "--output", "json"]
    ])
    expect(code).toBe(0)
    const finished = events(stdout).filter(({ type }) => type === "tool_finished")
    expect(finished).toMatchObject([{ tool: "mcp__demo__echo", status: "ok", content: "echo: hello" }])
    expect(events(stdout).at(-1)).toMatchObject({ type: "run_finished", status: "completed" })
    expect(String(events(stdout).at(-1)?.text)).toContain("echo: hello")
  })
})

test("in one conversation with a model a skill is read and an MCP tool is called", async () => {
  const skill = program.write(
    "cow-home/skills/tea-maker/SKILL.md",
    "---\nname: tea-maker\ndescription: Makes tea. Use when asked for tea.\n---\n\nSTEP-ONE boil water.\n"
  )
  const model = startFakeModel([
    { call: { name: "read", input: { path: skill } } },
    { call: { name: "mcp__demo__echo", input: { message: "water boils" } } },
    { text: "Tea is ready." }
  ])
  models.push(model)
  program.write("cow-home/config.json", JSON.stringify(model.config))
  const { code, stderr, stdout } = await cow(["run", "make tea", "--require-mcp", "demo"])
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: "Tea is ready." })
  expect(stderr.split("\n").filter((line) => line.startsWith("•"))).toEqual([
    expect.stringMatching(/^• read .*SKILL\.md/),
    expect.stringMatching(/^• mcp__demo__echo .*water boils/)
  ])
  const [first, second, third] = model.requests
  expect(first?.system).toContain(`<location>${skill}</location>`)
  expect(first?.system).not.toContain("STEP-ONE")
  expect(first?.tools).toContain("mcp__demo__echo")
  expect(second?.lastResult).toContain("STEP-ONE boil water.")
  expect(third?.lastResult).toBe("echo: water boils")
})
