import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Cow, type Ended } from "../support/Cow.ts"

setDefaultTimeout(30_000)

/** What a wrong input leaves: its code, nothing on stdout, one line without words of the machinery. */
const expectLine = ({ code, stderr, stdout }: Ended, wanted: number, ...named: ReadonlyArray<string>) => {
  expect([code, stdout, stderr]).toEqual([wanted, "", stderr])
  for (const words of named) expect(stderr).toContain(words)
  expect(stderr.trimEnd().split("\n").length).toBe(1)
  expect(stderr).not.toMatch(/FileSystem\.|BadResource|NotFound:|AlreadyExists|Expected a|cow: cow:/)
}

describe("places that are no folder", () => {
  test("a home that is a file, a loop, or leads nowhere is named with the reason", async () => {
    using cow = new Cow()
    const at = (name: string) => join(cow.folder, name)
    cow.write("file", "x")
    symlinkSync(at("loop"), at("loop"))
    symlinkSync(at("none"), at("dangling"))
    const args = ["run", "--quiet", "hi"]
    const run = (home: string, given = args) => cow.run(given, { env: { COW_HOME: home } })
    expectLine(await run(at("file")), 52, at("file"), "not a folder")
    expectLine(await run(at("file/sub")), 52, at("file/sub"), "not a folder")
    expectLine(await run(at("loop")), 52, at("loop"), "leads back to itself")
    expectLine(await run(at("n".repeat(300))), 52, "too long")
    for (const given of [args, ["init"], ["mcp", "add", "x", "--", "node"]])
      expectLine(await run(at("dangling"), given), 1, at("dangling"), "exists already")
  })

  test("a state.db that cannot be opened is an error for doctor", async () => {
    using cow = new Cow()
    mkdirSync(join(cow.home, "state.db"))
    const { code, stdout } = await cow.run(["doctor", "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).problems).toContainEqual({
      severity: "error",
      message: `${join(cow.home, "state.db")} cannot be opened`,
      fix: `mv '${join(cow.home, "state.db")}' '${join(cow.home, "state.db")}.bak'`
    })
  })

  test("a config.json that is a folder is named with the reason", async () => {
    using cow = new Cow()
    const home = join(cow.folder, "odd")
    mkdirSync(join(home, "config.json"), { recursive: true })
    expectLine(await cow.run(["doctor"], { env: { COW_HOME: home } }), 52, "config.json", "it is a folder")
  })

  test("a workspace that is missing, a file or nameless is refused and nothing is trusted", async () => {
    using cow = new Cow()
    const file = cow.write("file", "x")
    for (const [folder, why] of [
      ["/nope", "no such file or folder"],
      [file, "not a folder"],
      ["", "empty"]
    ] as const) {
      expectLine(await cow.run(["run", "--quiet", "--workspace", folder, "hi"]), 42, folder, why)
      expectLine(await cow.run(["trust", folder]), 42, folder, why)
    }
  })
})

describe("command lines", () => {
  test("a text that begins with - is told apart from flags", async () => {
    using cow = new Cow()
    for (const text of ["- fix this", "-- fix this", "-what is this"])
      expectLine(await cow.run(["run", text]), 2, text, "write -- before it")
    expect((await cow.run(["run", "--", "- which tools do you have?"])).code).toBe(0)
  })

  test("letters that are no flags ask for no help", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["run", "-what"]), 2, "unknown flag -what")
    expectLine(await cow.run(["run", "-model", "x", "hi"]), 2, "-model", "begins with --")
    expect((await cow.run(["tools", "call", "ls", "--input", "-"], { stdin: "{}" })).code).toBe(0)
  })

  test("a wrong value says what the flag wants", async () => {
    using cow = new Cow()
    const wrong = async (flag: string, value: string, ...named: ReadonlyArray<string>) =>
      expectLine(await cow.run(["run", "hi", flag, value]), 2, `${flag} `, ...named)
    await wrong("--max-steps", "x", "a whole number of at least 1", '"x"')
    await wrong("--max-steps", "1.5", "a whole number of at least 1", '"1.5"')
    await wrong("--max-steps", "0", "a whole number of at least 1", '"0"')
    await wrong("--mcp-wait", "soon", "a number of seconds", '"soon"')
    await wrong("--permission", "yolo", "read-only, workspace-write or full-access", '"yolo"')
    await wrong("--session", "-x", "--session=-x")
    expectLine(await cow.run(["run", "hi", "--model"]), 2, "--model wants PROVIDER/MODEL")
  })

  test("a flag that is given twice is named", async () => {
    using cow = new Cow()
    expectLine(
      await cow.run(["run", "--model", "a/b", "--model", "c/d", "hi"]),
      2,
      "--model is given 2 times"
    )
  })

  test("a flag of a command that stands before it is told where it belongs", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["--model", "offline/cow", "run", "hi"]), 2, "--model stands before run")
  })

  test("two flags that exclude each other are one plain line", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["run", "hi", "--session", "a", "--continue"]), 2, "cow run: --session")
  })

  test("version is a word too", async () => {
    using cow = new Cow()
    const { code, stdout } = await cow.run(["version"])
    expect([code, stdout]).toEqual([0, (await cow.run(["--version"])).stdout])
  })

  test("--verbose behind -- belongs to the other program", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["mcp", "remove", "none", "--", "--verbose"]), 2, "unexpected")
    expectLine(await cow.run(["mcp", "add", "a b", "--", "server", "--verbose"]), 42, "a b")
  })

  test("--verbose adds nothing to a failure that has told itself", async () => {
    using cow = new Cow({ model: "openai/x" })
    const { code, stderr } = await cow.run(["run", "--verbose", "hi"])
    expect(code).toBe(41)
    expect(stderr).not.toContain("CommandFailed")
  })
})

describe("sessions", () => {
  test("an id that is empty, long or holds control characters is refused", async () => {
    using cow = new Cow()
    for (const id of ["", " ", "s".repeat(300), "a\nb", "a\u001b[31m"])
      expectLine(await cow.run(["run", `--session=${id}`, "hi"]), 42, "session id")
    for (const id of ["../x", "a b", "tägliche Übersicht"])
      expect((await cow.run(["run", `--session=${id}`, "hi"])).code).toBe(0)
  })
})

describe("standard streams", () => {
  test("input that never ends is refused once it is too long for a prompt", async () => {
    using cow = new Cow()
    const { code, stdout } = cow.shell(`yes | timeout 20 "$0" "$1" run 2>&1; echo rc=$?`)
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "rc=42"])
    expect(stdout).toContain("10 MiB")
  })

  test("an empty --input is no JSON", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["tools", "call", "ls", "--input", ""]), 42, "--input", "empty")
    expectLine(await cow.run(["tools", "call", "ls", "--input", "-"]), 42, "--input", "empty")
  })

  test("output that the disk cannot take is a failure, a reader that left is none", async () => {
    using cow = new Cow()
    const { stdout } = cow.shell(
      `for at in /dev/full; do "$0" "$1" skill list --json >$at 2>err; echo rc=$? $(cat err); done; "$0" "$1" skill list --json | true; "$0" "$1" doctor --json | head -c 1 >/dev/null; echo done`
    )
    expect(stdout).toMatch(/^rc=1 cow: standard output cannot be written: .*\ndone\n$/)
  })
})

describe("servers and grants", () => {
  test("what is no address of a server and no program is not added as a program", async () => {
    using cow = new Cow()
    for (const target of ["ftp://x/mcp", "ws://x", "localhost:3000/mcp"])
      expectLine(await cow.run(["mcp", "add", "x", target]), 2, target, "http")
    expect((await cow.run(["mcp", "list", "--json"])).stdout).toContain('"servers": []')
  })

  test("what was changed is told in whole sentences", async () => {
    using cow = new Cow()
    const told = async (...args: ReadonlyArray<string>) => (await cow.run(["mcp", ...args])).stderr.trimEnd()
    expect(await told("add", "x", "--grant", "*", "--", "node")).toStartWith("added x for every persona;")
    expect(await told("revoke", "x", "default")).toBe("x is for nobody")
    expect(await told("grant", "x", "*")).toBe("x is for every persona")
  })

  test("an empty token is no token", async () => {
    using cow = new Cow()
    expectLine(await cow.run(["serve", "--port", "0", "--token", ""]), 2, "--token is empty")
  })
})

test("a denied run is told to be over", async () => {
  using cow = new Cow()
  const call = await cow.run(["tools", "call", "bash", "--input", '{"command":"touch x"}'])
  const run = /run_[0-9a-f]+/.exec(call.stderr)?.[0] ?? ""
  expect(call.code).toBe(58)
  const { code, stderr, stdout } = await cow.run(["deny", run])
  expect([code, stdout]).toEqual([0, ""])
  expect(stderr).toEndWith(`cow: run ${run} is denied and over\n`)
})

test("a key whose variable is not set chooses no provider", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form is what is tested
  const providers = { anthropic: { api_key: "${NO_SUCH_KEY}" } }
  using cow = new Cow({ providers })
  const { code, stderr } = await cow.run(["run", "hi"])
  expect(code).toBe(0)
  expect(stderr).toContain("offline/cow answers")
})

test("settings that several commands change at once are all kept", async () => {
  using cow = new Cow()
  const keys = [
    "agent_max_steps",
    "agent_max_context_turns",
    "mcp_tool_retrieval_top_k",
    "embedding_dimensions"
  ]
  const ended = await Promise.all(
    [...keys, ...keys].map((key, at) => cow.run(["config", "set", key, `${at + 1}`]))
  )
  expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 0))
  const kept = Object.keys(JSON.parse(readFileSync(join(cow.home, "config.json"), "utf8")))
  expect(kept.toSorted()).toEqual(["model", ...keys].toSorted())
  expect(readdirSync(cow.home)).toEqual(["config.json"])
})
