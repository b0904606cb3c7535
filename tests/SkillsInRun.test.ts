/** Skills while a run is going on, in the real program with a scripted model: made, edited, switched, called by name. */
import { expect, setDefaultTimeout, test } from "bun:test"
import path from "node:path"
import { Cow } from "../packages/cli/test/support/Cow.ts"
import { type FakeRequest, type FakeTurn, startFakeModel } from "./FakeModel.ts"

setDefaultTimeout(60_000)

const text = (name: string, body = "body") =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`

/** The requests that the model got. */
const requestsOf = async (cow: Cow, turns: ReadonlyArray<FakeTurn>): Promise<ReadonlyArray<FakeRequest>> => {
  const model = startFakeModel([...turns, { text: "done" }])
  cow.write("cow-home/config.json", JSON.stringify(model.config))
  await cow.run(["run", "go", "--permission", "full-access"])
  model.stop()
  expect(model.requests).toHaveLength(turns.length + 1)
  return model.requests
}

/** For a shell. */
const commandOf = (cow: Cow): string => cow.command.map((part) => `'${part}'`).join(" ")

const bash = (command: string): FakeTurn => ({ call: { name: "bash", input: { command } } })
const lists = (request: FakeRequest | undefined, name: string): boolean =>
  request?.system.includes(`<name>${name}</name>`) === true

test("a skill that a command or a tool makes, edits or removes is in the prompt, or out of it, at the next step", async () => {
  using cow = new Cow()
  const tea = path.join(cow.home, "skills/tea/SKILL.md")
  const [start, made, wrote, edited, removed] = await requestsOf(cow, [
    bash(`${commandOf(cow)} skill new my-skill --description 'Does a new thing.'`),
    { call: { name: "write", input: { path: tea, content: text("tea") } } },
    { call: { name: "edit", input: { path: tea, oldText: "About tea.", newText: "About green tea." } } },
    bash(`rm -r '${path.dirname(tea)}'`)
  ])
  expect([lists(start, "my-skill"), lists(made, "my-skill")]).toEqual([false, true])
  expect(made?.system).toContain("Does a new thing.")
  expect([lists(made, "tea"), lists(wrote, "tea")]).toEqual([false, true])
  expect(edited?.system).toContain("About green tea.")
  expect(lists(removed, "tea")).toBe(false)
})

test("a tool call named like a skill gets its text; once the skill is switched off, no text of it", async () => {
  using cow = new Cow()
  cow.write("cow-home/skills/tea/SKILL.md", text("tea", "SECRET-STEPS"))
  const call = { call: { name: "tea", input: {} } }
  const [first, told, off, refused] = await requestsOf(cow, [
    call,
    bash(`${commandOf(cow)} skill disable tea`),
    call
  ])
  expect(first?.system).not.toContain("SECRET-STEPS")
  expect(told?.lastResult).toContain("SECRET-STEPS")
  for (const tool of told?.tools ?? []) expect(told?.lastResult).toContain(tool)
  expect([lists(told, "tea"), lists(off, "tea")]).toEqual([true, false])
  expect(refused?.lastResult).not.toContain("SECRET-STEPS")
})

test("a project's skill that changes during a run is out of the prompt at the next step, the others stay", async () => {
  using cow = new Cow()
  for (const name of ["cup", "tea"]) cow.write(`work/.cow/skills/${name}/SKILL.md`, text(name))
  cow.write("work/.cow/skills/tea/scripts/run.sh", "one\n")
  await cow.run(["trust"])
  const [before, after, back] = await requestsOf(cow, [
    bash("echo two > .cow/skills/tea/scripts/run.sh"),
    bash("echo one > .cow/skills/tea/scripts/run.sh")
  ])
  const seen = [before, after, back].map((request) => [lists(request, "cup"), lists(request, "tea")])
  expect(seen).toEqual([
    [true, true],
    [true, false],
    [true, true]
  ])
})

test("cow skill prompt prints the section that a run sends, and nothing else", async () => {
  using cow = new Cow()
  cow.write("cow-home/skills/tea/SKILL.md", text("tea"))
  cow.write(
    "cow-home/skills/needy/SKILL.md",
    text("needy").replace("---\nbody", "metadata: {requires: {env: [NO]}}\n---\nbody")
  )
  const [request] = await requestsOf(cow, [])
  const { stdout: section } = await cow.run(["skill", "prompt"])
  expect(section.trimEnd()).toEndWith("</unavailable_skills>")
  expect(request?.system).toContain(section.trimEnd())
})
