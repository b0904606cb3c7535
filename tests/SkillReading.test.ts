/** What a skill's card promises: its file, and the files below its folder, can be read by the tool that the rule names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import path from "node:path"
import { Cow } from "../packages/cli/test/support/Cow.ts"

setDefaultTimeout(60_000)

const program = new Cow()
const skills = path.join(program.home, "skills")
const modes = ["read-only", "workspace-write", "full-access"]

const cow = async (...args: ReadonlyArray<string>) => (await program.run(args)).stdout

const read = async (file: string, mode: string) => {
  const call = ["tools", "call", "read", "--input", JSON.stringify({ path: file }), "--json"]
  const { content, status } = JSON.parse(await cow(...call, "--permission", mode))
  return { status, text: content.map(({ text }: { text: string }) => text).join("") }
}

beforeAll(() => {
  program.write("cow-home/.env", "KEY=1\n")
  program.write(
    "cow-home/skills/my 技能/SKILL.md",
    "---\nname: tea\ndescription: Makes tea.\n---\nRun scripts/煮 茶.sh\nTHE-END\n"
  )
  program.write("cow-home/skills/my 技能/scripts/煮 茶.sh", "echo tea\n")
  program.write(
    "cow-home/skills/needy/SKILL.md",
    "---\nname: needy\ndescription: d\nmetadata: {requires: {env: [NO]}}\n---\nNEEDY\n"
  )
})
afterAll(() => program[Symbol.dispose]())

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
      for (const file of ["my 技能", "needy"].map((name) => path.join(skills, name, "SKILL.md")))
        expect((await read(file, mode)).status).toBe("ok")
      expect((await read(path.join(program.home, ".env"), mode)).status).not.toBe("ok")
    }
  })
})
