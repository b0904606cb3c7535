import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

const pack = (cow: Cow, name: string, description = "Makes tea.") => {
  cow.write(`pkg/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\nbody\n`)
  cow.write(`pkg/${name}/scripts/run.sh`, `touch ${cow.folder}/MARKER_RAN\n`)
  return join(cow.folder, "pkg", name)
}

/** Without what the runtime keeps in a home folder. */
const visible = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .sort()

const listed = async (cow: Cow, name: string, persona = "default") => {
  const { stdout } = await cow.run(["skill", "list", "--json", "--persona", persona])
  return JSON.parse(stdout).skills.find((skill: { name: string }) => skill.name === name)
}

/** `good/SKILL.md`, then `good/../../MARKER_SLIP.md`. */
const slip =
  "UEsDBBQAAAAIAAAAIVxusbYxPwAAAD8AAAANAAAAZ29vZC9TS0lMTC5tZA3KwQ3AIAgF0DtT/AXoAJ67CFFSSVWMsH/ad37MTEumFjzujZpGPbbTfBUIupw5NALx2hjEf74d2RWRuuOiD1BLAwQUAAAACAAAACFcgxbcjAMAAAABAAAAGQAAAGdvb2QvLi4vLi4vTUFSS0VSX1NMSVAubWSrAABQSwECFAMUAAAACAAAACFcbrG2MT8AAAA/AAAADQAAAAAAAAAAAAAApIEAAAAAZ29vZC9TS0lMTC5tZFBLAQIUAxQAAAAIAAAAIVyDFtyMAwAAAAEAAAAZAAAAAAAAAAAAAACkgWoAAABnb29kLy4uLy4uL01BUktFUl9TTElQLm1kUEsFBgAAAAACAAIAggAAAKQAAAAAAA=="

describe("cow skill install", () => {
  test("without a terminal leaves the skill untrusted and says how to trust it; nothing of it runs", async () => {
    using cow = new Cow()
    const { code, stderr, stdout } = await cow.run(["skill", "install", pack(cow, "tea")])
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toContain("cow skill trust tea")
    expect(await listed(cow, "tea")).toMatchObject({ enabled: true, trusted: false, reason: "untrusted" })
    expect((await cow.run(["skill", "prompt"])).stdout).not.toContain("<name>tea</name>")
    expect((await cow.run(["skill", "trust", "tea"])).code).toBe(0)
    expect((await cow.run(["skill", "prompt"])).stdout).toContain("<name>tea</name>")
    const { stdout: shown } = await cow.run(["skill", "info", "tea", "--json"])
    expect(JSON.parse(shown)).toMatchObject({
      installed_from: join(cow.folder, "pkg/tea"),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      installed_at: expect.any(String),
      trusted_at: expect.any(String),
      assigned_persona_ids: ["default"],
      files: ["SKILL.md", "scripts/run.sh"],
      scripts: ["scripts/run.sh"]
    })
    expect(existsSync(join(cow.folder, "MARKER_RAN"))).toBe(false)
  })

  test("with --trust trusts it, and a held name is exit 42 with the path that holds it", async () => {
    using cow = new Cow()
    expect((await cow.run(["skill", "install", "--trust", pack(cow, "tea")])).code).toBe(0)
    expect(await listed(cow, "tea")).toMatchObject({ trusted: true, available: true })
    const again = await cow.run(["skill", "install", pack(cow, "tea")])
    expect(again.code).toBe(42)
    expect(again.stderr).toContain("skill_exists")
    expect(again.stderr).toContain(join(cow.home, "skills/tea/SKILL.md"))
    const builtin = await cow.run(["skill", "install", "--force", pack(cow, "skill-creator")])
    expect([builtin.code, builtin.stderr.includes("skill_exists")]).toEqual([42, true])
  })

  test("of an archive that leaves its folder, or of a source that is none, is exit 42 with nothing left", async () => {
    using cow = new Cow()
    const archive = join(cow.folder, "dotdot.zip")
    writeFileSync(archive, Buffer.from(slip, "base64"))
    const refused: ReadonlyArray<readonly [string, string]> = [
      [archive, "good/../../MARKER_SLIP.md"],
      ["http://example.com/a.zip", "bad_source"],
      ["file:///etc/passwd", "bad_source"],
      ["https://127.0.0.1/a.zip", "bad_source"],
      [join(cow.folder, "cow-home/config.json"), "not_a_zip"]
    ]
    for (const [source, word] of refused) {
      const { code, stderr } = await cow.run(["skill", "install", source])
      expect([source, code]).toEqual([source, 42])
      expect(stderr).toContain(word)
    }
    expect(visible(cow.folder)).toEqual(["cow-home", "dotdot.zip", "work"])
    expect(readdirSync(cow.home)).not.toContain("skills")
  })

  test("--frozen brings back what the lock file says", async () => {
    using cow = new Cow()
    await cow.run(["skill", "install", pack(cow, "tea")])
    const lock = readFileSync(join(cow.home, "skills/skills-lock.json"), "utf8")
    await cow.run(["skill", "uninstall", "tea"])
    expect(await listed(cow, "tea")).toBeUndefined()
    cow.write("cow-home/skills/skills-lock.json", lock)
    expect((await cow.run(["skill", "install", "--frozen"])).code).toBe(0)
    expect(await listed(cow, "tea")).toMatchObject({ description: "Makes tea.", trusted: false })
    await cow.run(["skill", "uninstall", "tea"])
    cow.write("cow-home/skills/skills-lock.json", lock)
    pack(cow, "tea", "Something else.")
    const changed = await cow.run(["skill", "install", "--frozen"])
    expect([changed.code, changed.stderr.includes("digest_mismatch")]).toEqual([42, true])
    expect(await listed(cow, "tea")).toBeUndefined()
  })
})

describe("cow skill", () => {
  test("trust, install, update and assign are refused inside a run, with nothing changed", async () => {
    using cow = new Cow()
    const source = pack(cow, "tea")
    await cow.run(["skill", "install", source])
    const before = readFileSync(join(cow.home, "skills/skills_config.json"), "utf8")
    for (const args of [
      ["trust", "tea"],
      ["install", "--force", source],
      ["update"],
      ["assign", "tea", "--persona", "default"]
    ]) {
      const { code, stderr } = await cow.run(["skill", ...args], { env: { COW_RUN_ID: "r1" } })
      expect([args, code]).toEqual([args, 1])
      expect(stderr).toContain("r1")
    }
    expect(readFileSync(join(cow.home, "skills/skills_config.json"), "utf8")).toBe(before)
    expect(await listed(cow, "tea")).toMatchObject({ trusted: false })
  })

  test("assign gives a skill to a persona once, and --remove takes that back", async () => {
    using cow = new Cow()
    await cow.run(["persona", "add", "p1"])
    await cow.run(["skill", "install", "--trust", pack(cow, "tea")])
    expect(await listed(cow, "tea", "p1")).toMatchObject({ reason: "not_assigned" })
    const assign = (...more: ReadonlyArray<string>) =>
      cow.run(["skill", "assign", "tea", "--persona", "p1", ...more])
    expect((await assign()).stderr).not.toContain("nothing changed")
    expect((await assign()).stderr).toContain("nothing changed")
    expect(await listed(cow, "tea", "p1")).toMatchObject({ reason: null })
    expect((await cow.run(["skill", "prompt", "--persona", "p1"])).stdout).toContain("<name>tea</name>")
    expect((await assign("--remove")).code).toBe(0)
    expect(await listed(cow, "tea", "p1")).toMatchObject({ reason: "not_assigned" })
    expect((await cow.run(["skill", "assign", "tea", "--persona", "p9"])).code).toBe(42)
  })

  test("a name that is nearly one is asked about, and a skill that needs no trust says so", async () => {
    using cow = new Cow()
    await cow.run(["skill", "new", "tea-time"])
    for (const command of ["uninstall", "trust", "info", "disable"])
      expect((await cow.run(["skill", command, "tea-tme"])).stderr).toContain('did you mean "tea-time"?')
    const { code, stderr } = await cow.run(["skill", "trust", "tea-time"])
    expect([code, stderr]).toEqual([0, "tea-time was not installed (user) and needs no trust\n"])
  })

  test("update to the bytes that were trusted once says that they still are", async () => {
    using cow = new Cow()
    await cow.run(["skill", "install", "--trust", pack(cow, "tea")])
    const { path } = await listed(cow, "tea")
    writeFileSync(path, `${readFileSync(path, "utf8")}changed\n`)
    expect((await cow.run(["skill", "update", "--force"])).stderr).toContain(
      "updated tea; it is as you trusted it"
    )
    pack(cow, "tea", "Makes better tea.")
    expect((await cow.run(["skill", "update"])).stderr).toContain(
      "when you have read it: cow skill trust tea"
    )
  })

  test("uninstall, enable and trust of a name that is none, or of a skill that is not the user's, touch nothing", async () => {
    using cow = new Cow()
    pack(cow, "tea")
    for (const [wanted, ...args] of [
      [42, "uninstall", "../../evil"],
      [42, "uninstall", "nope"],
      [1, "uninstall", "skill-creator"],
      [42, "enable", "nope"],
      [42, "trust", "nope"]
    ] as const)
      expect(await cow.run(["skill", ...args])).toMatchObject({
        code: wanted,
        stderr: expect.stringMatching(/cow skill list|is not removed/)
      })
    expect(visible(cow.folder)).toEqual(["cow-home", "pkg", "work"])
  })

  test("new writes a skeleton that validate accepts; a bad name or a second time is refused", async () => {
    using cow = new Cow()
    const { code, stdout } = await cow.run(["skill", "new", "my-skill"])
    expect([code, stdout]).toEqual([0, `${join(cow.home, "skills/my-skill/SKILL.md")}\n`])
    expect((await cow.run(["skill", "validate", stdout.trim()])).code).toBe(0)
    for (const name of ["my-skill", "Bad Name", "../escaped"])
      expect((await cow.run(["skill", "new", name])).code).toBe(42)
    expect(readdirSync(join(cow.home, "skills"))).toEqual(["my-skill"])
  })

  test("validate names file and line of every problem, on stderr or as JSON", async () => {
    using cow = new Cow()
    const file = cow.write("work/tea/SKILL.md", "---\nname: Tea\nversion: 1\n---\n")
    const plain = await cow.run(["skill", "validate", "tea"])
    expect([plain.code, plain.stdout]).toEqual([1, ""])
    for (const place of [`${file}:2: error`, `${file}:3: error`]) expect(plain.stderr).toContain(place)
    const json = await cow.run(["skill", "validate", "tea", "--json"])
    expect(json.code).toBe(1)
    const verdict = JSON.parse(json.stdout)
    expect(verdict).toMatchObject({ path: file, valid: false })
    expect(verdict.problems.map(({ line }: { line: number }) => line)).toEqual([1, 2, 2, 3])
  })

  test("search finds by name and description", async () => {
    using cow = new Cow()
    await cow.run(["skill", "install", pack(cow, "tea")])
    const { stdout } = await cow.run(["skill", "search", "make some tea", "--json"])
    expect(JSON.parse(stdout).results[0]).toMatchObject({ name: "tea" })
  })
})

/** Speaks just enough to have one tool, `write`. */
const server = `const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
for await (const line of console) {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize")
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "fs", version: "1" } })
  else if (method === "tools/list") say(id, { tools: [{ name: "write", inputSchema: { type: "object" } }] })
  else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }))
}
`

describe("cow skill info", () => {
  const info = async (cow: Cow, ...args: ReadonlyArray<string>) =>
    JSON.parse((await cow.run(["skill", "info", ...args, "--json"])).stdout)

  test("lists the tools that a skill names, and why a persona may not use one", async () => {
    using cow = new Cow()
    const path = cow.write("server.mjs", server)
    await cow.run(["persona", "add", "p1"])
    await cow.run(["mcp", "add", "fs", "--", process.execPath, path])
    cow.write(
      "cow-home/skills/s/SKILL.md",
      "---\nname: s\ndescription: d\ntool_names: [read, mcp__fs__write]\n---\n"
    )
    const forP1 = await info(cow, "s", "--persona", "p1")
    expect(forP1).toMatchObject({
      available: true,
      tools: [
        { name: "read", allowed: true, reason: null },
        { name: "mcp__fs__write", allowed: false, reason: "not_granted" }
      ]
    })
    expect((await info(cow, "s")).tools).toEqual([
      { name: "read", allowed: true, reason: null },
      { name: "mcp__fs__write", allowed: true, reason: null }
    ])
  })

  test("warns of a name in allowed-tools that is no tool; the field gives no right", async () => {
    using cow = new Cow()
    cow.write(
      "cow-home/skills/s/SKILL.md",
      "---\nname: s\ndescription: d\nallowed-tools: bash Edit\ntool_names: nope\n---\n"
    )
    const found = await info(cow, "s")
    expect(found).toMatchObject({
      available: false,
      reason: "tool_missing: nope",
      tools: [{ name: "nope", allowed: false, reason: "not_registered" }],
      allowed_tools: ["bash", "Edit"]
    })
    expect(found.warnings).toHaveLength(1)
    expect(found.warnings[0]).toContain("Edit")
    const touch = JSON.stringify({ command: "touch made" })
    const call = ["tools", "call", "bash", "--input", touch, "--permission", "read-only", "--json"]
    expect(JSON.parse((await cow.run(call)).stdout).status).toBe("denied")
    expect(existsSync(join(cow.workspace, "made"))).toBe(false)
  })
})

describe("the skills of a user", () => {
  test("switched by two processes at once are both switched", async () => {
    using cow = new Cow()
    const names = ["a", "b", "c", "d"]
    for (const name of names)
      cow.write(`cow-home/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n`)
    await cow.run(["skill", "list", "--json"])
    const done = await Promise.all(names.map((name) => cow.run(["skill", "disable", name])))
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const table = JSON.parse(readFileSync(join(cow.home, "skills/skills_config.json"), "utf8"))
    expect(names.map((name) => table[name].enabled)).toEqual([false, false, false, false])
  })

  test("are all in the list, two thousand of them, however slowly it is read", async () => {
    using cow = new Cow()
    for (let at = 0; at < 2_000; at++)
      cow.write(
        `cow-home/skills/s${at}/SKILL.md`,
        `---\nname: s${at}\ndescription: "知识 ${at}. ${"word ".repeat(20)}"\n---\n`
      )
    const command = cow.command.map((word) => `'${word}'`).join(" ")
    const { stdout } = cow.shell(`${command} skill list --json | { sleep 1; cat; }`)
    const names = JSON.parse(stdout).skills.map(({ name }: { name: string }) => name)
    expect(new Set(names).size).toBe(2_003)
    const early = cow.shell(`${command} skill list --json 2>err | head -c 10; cat err`)
    expect(early.stdout).toHaveLength(10)
  })
})

describe("skills of a project", () => {
  const states = async (cow: Cow) => {
    const { skills } = JSON.parse((await cow.run(["skill", "list", "--json"])).stdout)
    return skills
      .filter(({ source }: { source: string }) => source === "project")
      .map(({ name, reason }: { name: string; reason: string | null }) => `${name}: ${reason}`)
  }

  test("count from cow trust on; one that changes, or comes, is untrusted until it is trusted again", async () => {
    using cow = new Cow()
    const put = (name: string, text: string, file = "SKILL.md") =>
      cow.write(`work/.cow/skills/${name}/${file}`, text)
    const text = (name: string) => `---\nname: ${name}\ndescription: d\n---\nbody\n`
    put("cup", text("cup"))
    put("tea", text("tea"))
    put("tea", "echo one\n", "scripts/run.sh")
    expect(await states(cow)).toEqual(["cup: untrusted", "tea: untrusted"])
    const list = await cow.run(["skill", "list"])
    expect(list.stderr).toContain(
      "2 of this project's skills are not trusted; when you have read them: cow trust"
    )
    await cow.run(["trust"])
    expect(await states(cow)).toEqual(["cup: null", "tea: null"])
    put("tea", "echo two\n", "scripts/run.sh")
    put("pot", text("pot"))
    expect(await states(cow)).toEqual(["cup: null", "pot: untrusted", "tea: untrusted"])
    const { stdout } = await cow.run(["skill", "prompt"])
    expect([stdout.includes("<name>cup</name>"), stdout.includes("<name>tea</name>")]).toEqual([true, false])
    put("tea", "echo one\n", "scripts/run.sh")
    expect(await states(cow)).toEqual(["cup: null", "pot: untrusted", "tea: null"])
    await cow.run(["trust"])
    expect(await states(cow)).toEqual(["cup: null", "pot: null", "tea: null"])
  })
})
