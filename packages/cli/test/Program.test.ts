import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import manifest from "../package.json"
import { Cow } from "./support/Cow.ts"

setDefaultTimeout(30_000)

const skill = (cow: Cow, name: string, description: string) =>
  cow.write(
    `cow-home/skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: ${description}\n---\nbody\n`
  )

describe("usage", () => {
  test("a wrong command line is one line on stderr with the near name, nothing on stdout, exit 2", async () => {
    using cow = new Cow()
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["frobnicate"], "frobnicate"],
      [["sesion"], "session"],
      [["mcp", "lst"], "list"],
      [["run", "--no-such-flag", "hi"], "--no-such-flag"],
      [["skill", "list", "--jsno"], "--json"],
      [["persona", "add"], "ID"],
      [["run", "hi", "--max-steps", "0"], "--max-steps"],
      [["run", "hi", "--max-steps", "x"], "--max-steps"],
      [["run", "hi", "--permission", "yolo"], "read-only"],
      [["run", "hi", "--session", "a", "--continue"], "--session"],
      [["run", "one", "two"], "two"],
      [["run", ""], "empty"],
      [["serve", "--host", "0.0.0.0"], "token"]
    ]
    const ended = await Promise.all(wrong.map(([args]) => cow.run(args)))
    for (const [at, { code, stderr, stdout }] of ended.entries()) {
      const [args, named] = wrong[at] as (typeof wrong)[number]
      expect([args, code, stdout]).toEqual([args, 2, ""])
      expect(stderr).toContain(named)
      expect(stderr.trimEnd().split("\n").length).toBe(1)
    }
  })

  test("flags behind -- are another program's", async () => {
    using cow = new Cow()
    const { code, stderr } = await cow.run(["mcp", "add", "bad name", "--", "server", "--verbose", "--help"])
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([42, 1])
  })

  test("help and version are asked for on any command, on stdout, with exit 0", async () => {
    using cow = new Cow()
    for (const args of [["--version"], ["-v"], ["mcp", "add", "--version"]])
      expect(await cow.run(args)).toEqual({ code: 0, stdout: `cow v${manifest.version}\n`, stderr: "" })
    for (const args of [["--help"], ["mcp", "--help"], ["help", "mcp"], ["tools", "call", "-h"]]) {
      const { code, stderr, stdout } = await cow.run(args)
      expect([code, stderr]).toEqual([0, ""])
      expect(stdout).toContain("USAGE")
      expect(stdout).not.toContain("\u001b")
    }
  })

  test("the completion scripts know the commands and their flags", async () => {
    using cow = new Cow()
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await cow.run(["completion", shell])
      expect(code).toBe(0)
      for (const word of ["approve", "require-mcp", "revoke"]) expect(stdout).toContain(word)
    }
  })
})

describe("config.json", () => {
  test("a broken one ends with exit 52, names file, line and key, and is left as it is", async () => {
    const broken: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ['{"model": "offline/cow", "mcp_serv', [":1:26"]],
      ['{\n  "model": "offline/cow",\n  "agent_max_steps": "many"\n}', [":3:", "agent_max_steps", "many"]],
      ['{\n"providers": {"x": {\n"type": "opnai"}}}', [":3:", "providers.x.type"]],
      ["[]", ["object"]]
    ]
    for (const [text, named] of broken) {
      using cow = new Cow(text)
      const { code, stderr, stdout } = await cow.run(["doctor", "--json"])
      expect([code, stdout]).toEqual([52, ""])
      for (const one of [join(cow.home, "config.json"), ...named]) expect(stderr).toContain(one)
      expect(readFileSync(join(cow.home, "config.json"), "utf8")).toBe(text)
    }
  })

  test("an unknown key is a warning with the near name and nothing more", async () => {
    using cow = new Cow('{"modle": "offline/cow"}')
    const { code, stderr } = await cow.run(["config", "get", "agent_max_steps"])
    expect(code).toBe(0)
    expect(stderr).toContain('did you mean "model"?')
    expect((await cow.run(["config", "get", "--quiet"])).stderr).toBe("")
  })

  test("that of a project counts only once the folder is trusted", async () => {
    using cow = new Cow()
    cow.write("work/.cow/config.json", '{"agent_max_steps": 7}')
    const steps = async () => (await cow.run(["config", "get", "agent_max_steps"])).stdout.trim()
    expect(await steps()).toBe("30")
    expect((await cow.run(["trust"])).code).toBe(0)
    expect(await steps()).toBe("7")
    cow.write("work/.cow/config.json", '{"agent_max_steps": 8}')
    expect(await steps()).toBe("30")
  })

  test("keys of providers are never shown", async () => {
    using cow = new Cow({
      providers: { x: { type: "openai", api_key: "sk-secret-1", headers: { A: "tok-secret-2" } } }
    })
    const { stdout } = await cow.run(["config", "get"])
    expect(stdout).not.toMatch(/secret/)
    expect(JSON.parse(stdout).providers.x.type).toBe("openai")
  })

  test("init switches retrieval on, and set keeps comments", async () => {
    using cow = new Cow('// mine\n{\n  "model": "offline/cow" // here\n}\n')
    expect((await cow.run(["init"])).code).toBe(0)
    expect((await cow.run(["config", "set", "agent_max_steps", "9"])).code).toBe(0)
    expect((await cow.run(["config", "set", "agent_max_steps", "nine"])).code).toBe(42)
    const text = readFileSync(join(cow.home, "config.json"), "utf8")
    for (const part of ["// mine", "// here", '"mcp_tool_retrieval_enabled": true', '"agent_max_steps": 9'])
      expect(text).toContain(part)
  })
})

describe("standard streams", () => {
  test("a prompt on the command line starts at once though stdin stays open", async () => {
    using cow = new Cow()
    const child = cow.open(["run", "hello"])
    expect(await new Response(child.stdout).text()).toContain("offline/cow")
    expect(await child.exited).toBe(0)
  })

  test("without a prompt an empty stdin is refused, and an empty chat is a chat", async () => {
    using cow = new Cow()
    expect((await cow.run(["run"])).code).toBe(2)
    expect((await cow.run(["run", "-"], { stdin: " \n" })).code).toBe(2)
    expect((await cow.run([])).code).toBe(0)
  })

  test("a reader that starts late gets every byte, also when the exit code is not 0", () => {
    using cow = new Cow()
    for (let n = 0; n < 400; n++) skill(cow, `s${n}`, "d".repeat(900))
    const list = `'${cow.command.join("' '")}' skill list --json`
    const { stdout } = cow.shell(`${list} | (sleep 1; cat)`)
    expect(
      JSON.parse(stdout).skills.filter(({ source }: { source: string }) => source === "user").length
    ).toBe(400)

    // The command ends with 1: the server is not there. What it printed is longer than a pipe holds.
    const args = JSON.stringify(
      Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`missing_argument_${n}`, n]))
    )
    const input = cow.write("input.json", args)
    const call = `'${cow.command.join("' '")}' tools call no_such_tool --json --input - <'${input}'`
    expect(cow.shell(`${call} >whole; echo $?`).stdout).toBe("42\n")
    expect(cow.shell(`${call} | (sleep 1; cat)`).stdout.replace(/"duration_ms": \d+/, "")).toBe(
      cow.shell("cat whole").stdout.replace(/"duration_ms": \d+/, "")
    )
  })

  test("a reader that goes away is no failure", async () => {
    using cow = new Cow()
    for (let n = 0; n < 200; n++) skill(cow, `s${n}`, "d".repeat(900))
    const child = cow.open(["skill", "list", "--json"])
    const reader = child.stdout.getReader()
    await reader.read()
    await reader.cancel()
    expect([0, 141]).toContain(await child.exited)
    expect(await new Response(child.stderr).text()).toBe("")
  })

  test("control sequences in a skill reach neither stdout nor stderr, and JSON holds them escaped", async () => {
    using cow = new Cow()
    skill(cow, "esc", '"clean\\e[2J\\a\\u009b31m\\u202Eevil"')
    const shown = await cow.run(["skill", "list"])
    expect(shown.stdout + shown.stderr).not.toMatch(/(?![\n\t])\p{Cc}|\u202e/u)
    expect(shown.stdout).toContain("evil")
    const { stdout } = await cow.run(["skill", "list", "--json"])
    expect(stdout).not.toMatch(/(?![\n\t])\p{Cc}|\u202e/u)
    const found = JSON.parse(stdout).skills.find(({ name }: { name: string }) => name === "esc")
    expect(found.description).toContain("evil")
  })
})

describe("signals", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    test(`${signal} ends a chat that waits for input with exit 130, also when it comes twice`, async () => {
      using cow = new Cow()
      const child = cow.open(["chat", "--output", "json"])
      child.stdin.write("hello\n")
      child.stdin.flush()
      let seen = ""
      for await (const chunk of child.stdout) {
        seen += Buffer.from(chunk).toString()
        if (seen.includes("run_finished")) break
      }
      child.kill(signal)
      child.kill(signal)
      expect(await child.exited).toBe(130)
    })
})

describe("inside a run", () => {
  test("nothing can be approved, trusted, granted or added", async () => {
    using cow = new Cow()
    const env = { COW_RUN_ID: "run_1" }
    cow.write("work/.cow/config.json", "{}")
    const refused = [
      ["approve", "run_2"],
      ["deny", "run_2"],
      ["trust"],
      ["mcp", "add", "x", "--", "true"],
      ["mcp", "enable", "x"],
      ["mcp", "grant", "x", "default"]
    ]
    for (const args of refused) {
      const { code, stderr } = await cow.run(args, { env })
      expect([args, code]).toEqual([args, 1])
      expect(stderr).toContain("run_1")
    }
    expect(existsSync(join(cow.home, "mcp.json"))).toBe(false)
  })
})

describe("servers in mcp.json", () => {
  test("are added with the persona they are for, granted, revoked and removed", async () => {
    using cow = new Cow()
    const entry = (name: string) =>
      JSON.parse(readFileSync(join(cow.home, "mcp.json"), "utf8")).mcpServers[name]
    const ok = async (...args: ReadonlyArray<string>) =>
      expect([args, (await cow.run(args)).code]).toEqual([args, 0])
    await ok("persona", "add", "helper")
    await ok("mcp", "add", "one", "-e", "A=b=c", "--", "prog", "-x", "--flag")
    await ok(
      "mcp",
      "add",
      "two",
      "https://h.example/mcp",
      "-H",
      `Authorization: Bearer $\{T}`,
      "--grant",
      "*"
    )
    expect(entry("one")).toEqual({
      command: "prog",
      args: ["-x", "--flag"],
      env: { A: "b=c" },
      allowed_persona_ids: ["default"]
    })
    expect(entry("two")).toEqual({
      url: "https://h.example/mcp",
      headers: { Authorization: `Bearer $\{T}` },
      allowed_persona_ids: ["*"]
    })
    await ok("mcp", "grant", "one", "helper")
    expect(entry("one").allowed_persona_ids).toEqual(["default", "helper"])
    await ok("mcp", "revoke", "one", "default")
    expect(entry("one").allowed_persona_ids).toEqual(["helper"])
    await ok("mcp", "remove", "one")
    expect(entry("one")).toBeUndefined()
  })

  test("wrong ones are refused and nothing is written", async () => {
    using cow = new Cow()
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, number]> = [
      [["a/b", "--", "prog"], 42],
      [["one"], 2],
      [["one", "-t", "http", "--", "prog"], 2],
      [["one", "-e", "noequals", "--", "prog"], 2],
      [["one", "--grant", "*", "--grant", "default", "--", "prog"], 2],
      [["one", "--grant", "nobody", "--", "prog"], 42]
    ]
    for (const [args, code] of wrong) {
      const ended = await cow.run(["mcp", "add", ...args])
      expect([args, ended.code, ended.stdout]).toEqual([args, code, ""])
    }
    expect(existsSync(join(cow.home, "mcp.json"))).toBe(false)
  })
})

describe("the chat", () => {
  test("takes messages one after the other in one session and ends with its input", async () => {
    using cow = new Cow()
    const { code, stdout } = await cow.run(["chat", "--output", "json"], {
      stdin: 'first\n{"type":"user","text":"second"}\n{"type":"nonsense"}\n'
    })
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    const started = events.filter(({ type }) => type === "run_started")
    expect(started.length).toBe(2)
    expect(new Set(started.map(({ session_id }) => session_id)).size).toBe(1)
    expect(events.filter(({ type }) => type === "run_finished").map(({ status }) => status)).toEqual([
      "completed",
      "completed"
    ])
    expect(events.find(({ type }) => type === "error")).toMatchObject({ code: "bad_line" })
  })

  test("a message that is cancelled at once still has its end", async () => {
    using cow = new Cow()
    const { stdout } = await cow.run(["chat", "--output", "json"], { stdin: 'go\n{"type":"cancel"}\n' })
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) as string)
    expect(last).toMatchObject({ type: "run_finished", status: "cancelled" })
  })
})
