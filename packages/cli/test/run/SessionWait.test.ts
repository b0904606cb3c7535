import { expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

/** A home whose model answers nothing until it is told to, with a session that a process works on. */
const busy = async (body: (cow: Cow, pid: number, answer: () => Promise<void>) => Promise<void>) => {
  const asked = Promise.withResolvers<void>()
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () => {
      asked.resolve()
      return new Promise<Response>(() => {})
    }
  })
  const provider = { type: "openai-compatible", base_url: `http://127.0.0.1:${silent.port}/v1` }
  using cow = new Cow({ model: "silent/m", providers: { silent: provider } })
  const child = cow.open(["run", "hello", "--session", "s1"])
  try {
    await asked.promise
    await body(cow, child.pid, async () => {
      child.kill("SIGKILL")
      await child.exited
    })
  } finally {
    child.kill("SIGKILL")
    await silent.stop(true)
  }
}

const second = ["run", "and me", "--session", "s1", "--model", "offline/cow"]

test("a second command on a session is told which process has it, in one line, with exit 1", () =>
  busy(async (cow, pid) => {
    const { code, stderr, stdout } = await cow.run(second)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr.trim().split("\n").at(-1)).toMatch(
      new RegExp(
        `^cow: session s1 is being worked on by process ${pid} \\(run run_\\w+\\); try again .*--wait`
      )
    )
  }))

test("with --wait it says so once, and goes on as soon as the other has ended, however it ended", () =>
  busy(async (cow, pid, end) => {
    const waiting = cow.open([...second, "--wait"])
    const reader = waiting.stderr.getReader()
    let heard = ""
    while (!heard.includes("waiting until it is free"))
      heard += new TextDecoder().decode((await reader.read()).value)
    expect(heard).toContain(`process ${pid}`)
    // Several looks later it still waits, and has said it once.
    await Bun.sleep(800)
    expect(waiting.exitCode).toBeNull()
    await end()
    expect(await waiting.exited).toBe(0)
    for (let next = await reader.read(); !next.done; next = await reader.read())
      heard += new TextDecoder().decode(next.value)
    expect(heard.split("waiting until it is free").length).toBe(2)
    const { stdout } = await cow.run(["session", "export", "s1"])
    const said = stdout
      .trim()
      .split("\n")
      .flatMap((line) => (JSON.parse(line).role === "user" ? [JSON.parse(line).parts[0].text] : []))
    expect(said).toEqual(["hello", "and me"])
  }))

test("waiting ends with an interrupt", () =>
  busy(async (cow) => {
    const waiting = cow.open([...second, "--wait"])
    const reader = waiting.stderr.getReader()
    let heard = ""
    while (!heard.includes("waiting until it is free"))
      heard += new TextDecoder().decode((await reader.read()).value)
    waiting.kill("SIGINT")
    expect(await waiting.exited).toBe(130)
  }))
