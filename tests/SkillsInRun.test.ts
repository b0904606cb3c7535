/** Skills while a run is going on, in the real program with a scripted model: made, edited, switched, called by name. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { type FakeRequest, type FakeTurn, startFakeModel } from "./FakeModel.ts"

setDefaultTimeout(60_000)

const main = path.resolve(import.meta.dir, "../packages/cli/src/main.ts")
const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true })
})

const text = (name: string, body = "body") =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`

class Scene {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "cow-skills-run-")))
  readonly work = path.join(this.folder, "work")
  readonly home = path.join(this.folder, "cow")

  constructor() {
    folders.push(this.folder)
    fs.mkdirSync(this.work)
  }

  write(file: string, content: string): string {
    const target = path.join(this.folder, file)
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, content)
    return target
  }

  async cow(...args: ReadonlyArray<string>): Promise<string> {
    const child = Bun.spawn([process.execPath, main, ...args], {
      cwd: this.work,
      env: { PATH: process.env.PATH ?? "", HOME: this.folder, COW_HOME: this.home },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe"
    })
    return await new Response(child.stdout).text()
  }

  /** The requests that the model got. */
  async run(turns: ReadonlyArray<FakeTurn>): Promise<ReadonlyArray<FakeRequest>> {
    const model = startFakeModel([...turns, { text: "done" }])
    this.write("cow/config.json", JSON.stringify(model.config))
    await this.cow("run", "go", "--permission", "full-access")
    model.stop()
    expect(model.requests).toHaveLength(turns.length + 1)
    return model.requests
  }
}

const bash = (command: string): FakeTurn => ({ call: { name: "bash", input: { command } } })
const lists = (request: FakeRequest | undefined, name: string): boolean =>
  request?.system.includes(`<name>${name}</name>`) === true

test("a skill that a command or a tool makes, edits or removes is in the prompt, or out of it, at the next step", async () => {
  const scene = new Scene()
  const tea = path.join(scene.home, "skills/tea/SKILL.md")
  const cow = `'${process.execPath}' '${main}'`
  const [start, made, wrote, edited, removed] = await scene.run([
    bash(`${cow} skill new my-skill --description 'Does a new thing.'`),
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
  const scene = new Scene()
  scene.write("cow/skills/tea/SKILL.md", text("tea", "SECRET-STEPS"))
  const call = { call: { name: "tea", input: {} } }
  const cow = `'${process.execPath}' '${main}'`
  const [first, told, off, refused] = await scene.run([call, bash(`${cow} skill disable tea`), call])
  expect(first?.system).not.toContain("SECRET-STEPS")
  expect(told?.lastResult).toContain("SECRET-STEPS")
  for (const tool of told?.tools ?? []) expect(told?.lastResult).toContain(tool)
  expect([lists(told, "tea"), lists(off, "tea")]).toEqual([true, false])
  expect(refused?.lastResult).not.toContain("SECRET-STEPS")
})

test("a project's skill that changes during a run is out of the prompt at the next step, the others stay", async () => {
  const scene = new Scene()
  for (const name of ["cup", "tea"]) scene.write(`work/.cow/skills/${name}/SKILL.md`, text(name))
  scene.write("work/.cow/skills/tea/scripts/run.sh", "one\n")
  await scene.cow("trust")
  const [before, after, back] = await scene.run([
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
  const scene = new Scene()
  scene.write("cow/skills/tea/SKILL.md", text("tea"))
  scene.write(
    "cow/skills/needy/SKILL.md",
    text("needy").replace("---\nbody", "metadata: {requires: {env: [NO]}}\n---\nbody")
  )
  const [request] = await scene.run([])
  const section = await scene.cow("skill", "prompt")
  expect(section.trimEnd()).toEndWith("</unavailable_skills>")
  expect(request?.system).toContain(section.trimEnd())
})
