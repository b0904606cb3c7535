/** What a skill's card promises: its file, and the files below its folder, can be read by the tool that the rule names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

setDefaultTimeout(60_000)

const root = path.resolve(import.meta.dir, "..")
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "cow-reading-")))
const [home, work] = [path.join(folder, "cow"), path.join(folder, "work")]
const base = path.join(home, "skills", "my 技能")
const modes = ["read-only", "workspace-write", "full-access"]

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

const cow = async (...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, path.join(root, "packages/cli/src/main.ts"), ...args], {
    cwd: work,
    env: { PATH: process.env.PATH ?? "", HOME: folder, COW_HOME: home, OLLAMA_HOST: "127.0.0.1:9" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe"
  })
  return await new Response(child.stdout).text()
}

const read = async (file: string, mode: string) => {
  const call = ["tools", "call", "read", "--input", JSON.stringify({ path: file }), "--json"]
  const { content, status } = JSON.parse(await cow(...call, "--permission", mode))
  return { status, text: content.map(({ text }: { text: string }) => text).join("") }
}

beforeAll(() => {
  write(path.join(home, "config.json"), '{"model": "offline/cow"}')
  write(path.join(home, ".env"), "KEY=1\n")
  write(
    path.join(base, "SKILL.md"),
    "---\nname: tea\ndescription: Makes tea.\n---\nRun scripts/煮 茶.sh\nTHE-END\n"
  )
  write(path.join(base, "scripts/煮 茶.sh"), "echo tea\n")
  write(
    path.join(home, "skills/needy/SKILL.md"),
    "---\nname: needy\ndescription: d\nmetadata: {requires: {env: [NO]}}\n---\nNEEDY\n"
  )
  fs.mkdirSync(work)
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

describe("outside the workspace, in every permission mode", () => {
  test("the location and base_dir of a card lead to the whole text and to the files below it", async () => {
    const prompt = await cow("skill", "prompt")
    const field = (name: string) => {
      const card = prompt.slice(prompt.indexOf("<name>tea</name>"))
      return new RegExp(`<${name}>(.*?)</${name}>`).exec(card)?.[1] ?? ""
    }
    const script = path.join(field("base_dir"), "scripts/煮 茶.sh")
    for (const mode of modes) {
      const skill = await read(field("location"), mode)
      expect([mode, skill.status]).toEqual([mode, "ok"])
      for (const line of ["name: tea", "description: Makes tea.", "THE-END"])
        expect(skill.text).toContain(line)
      expect(await read(script, mode)).toMatchObject({
        status: "ok",
        text: expect.stringContaining("echo tea")
      })
    }
  })

  test("a skill that is disabled or lacks something changes nothing of what may be read", async () => {
    await cow("skill", "disable", "tea")
    for (const mode of modes) {
      for (const file of [path.join(base, "SKILL.md"), path.join(home, "skills/needy/SKILL.md")])
        expect((await read(file, mode)).status).toBe("ok")
      expect((await read(path.join(home, ".env"), mode)).status).not.toBe("ok")
    }
  })
})
