import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

const runsOf = async (cow: Cow, ...args: ReadonlyArray<string>) =>
  JSON.parse((await cow.run(["runs", "list", "--json", ...args])).stdout).runs

/** A run that waits, and its id. */
const waiting = async (cow: Cow) => {
  const call = await cow.run(["tools", "call", "bash", "--input", '{"command":"touch x"}'])
  return { call, id: /run_[0-9a-f]+/.exec(call.stderr)?.[0] ?? "" }
}

/** A provider that takes a request and never answers. */
const silent = () => {
  let asked = () => {}
  const request = new Promise<void>((resolve) => {
    asked = resolve
  })
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      asked()
      return new Promise<Response>(() => {})
    }
  })
  const config = {
    model: "fake/m",
    providers: {
      fake: { type: "openai-compatible", base_url: `http://127.0.0.1:${server.port}/v1`, api_key: "k" }
    }
  }
  return { config, request, [Symbol.dispose]: () => void server.stop(true) }
}

describe("cow runs", () => {
  test("a run that waits is found without its id, with what it waits for", async () => {
    using cow = new Cow()
    expect((await cow.run(["approve"])).stderr).toContain("no run waits")
    const { id } = await waiting(cow)
    const [run] = await runsOf(cow, "--status", "waiting_approval")
    expect(run).toMatchObject({
      id,
      status: "waiting_approval",
      persona: "default",
      waits_for: { tool: "bash", input: { command: "touch x" } }
    })
    expect(Date.parse(run.created_at)).toBeGreaterThan(0)
    for (const command of ["approve", "deny"]) {
      const { code, stderr } = await cow.run([command])
      expect(code).toBe(2)
      expect(stderr).toContain(id)
      expect(stderr).toContain("touch x")
    }
    const table = (await cow.run(["runs", "list"])).stdout
    expect(table).toContain(id)
    expect(table).toContain("touch x")
    expect((await cow.run(["runs", "show", id])).stdout).toContain(`cow approve ${id}`)
  })

  test("the list is narrowed by session, state and number", async () => {
    using cow = new Cow()
    for (const session of ["a", "a", "b"]) await cow.run(["run", "--session", session, "hi"])
    expect((await runsOf(cow)).length).toBe(3)
    expect((await runsOf(cow, "--session", "a")).length).toBe(2)
    expect((await runsOf(cow, "--limit", "1")).map((run: { session_id: string }) => run.session_id)).toEqual([
      "b"
    ])
    expect(await runsOf(cow, "--status", "failed")).toEqual([])
    expect((await cow.run(["runs", "list", "--status", "nonsense"])).code).toBe(2)
  })

  test("a run that waits is cancelled, once", async () => {
    using cow = new Cow()
    const { id } = await waiting(cow)
    expect(await cow.run(["runs", "cancel", id])).toEqual({
      code: 0,
      stdout: "",
      stderr: `cow: run ${id} is cancelled\n`
    })
    expect((await runsOf(cow))[0]).toMatchObject({ id, status: "cancelled", waits_for: null })
    expect((await cow.run(["runs", "cancel", id])).stderr).toContain("cancelled already")
    expect((await cow.run(["approve", id])).code).toBe(1)
  })

  test("a run that another process works on is really cancelled", async () => {
    using model = silent()
    using cow = new Cow(model.config)
    const child = cow.open(["run", "hi"])
    await model.request
    const [run] = await runsOf(cow, "--status", "running")
    const { code, stderr } = await cow.run(["runs", "cancel", run.id])
    expect([code, stderr]).toEqual([0, `cow: run ${run.id} is cancelled\n`])
    expect(await child.exited).toBe(130)
    expect((await runsOf(cow))[0]).toMatchObject({ id: run.id, status: "cancelled" })
  })

  test("an id that is no run is named with a near one, and an ended run is no mistake of the same kind", async () => {
    using cow = new Cow()
    await cow.run(["run", "hi"])
    const [{ id }] = await runsOf(cow)
    for (const args of [["runs", "show"], ["runs", "cancel"], ["approve"], ["deny"]]) {
      const { code, stderr } = await cow.run([...args, `${id.slice(0, -1)}x`])
      expect([args, code]).toEqual([args, 42])
      expect(stderr).toContain(id)
    }
    expect((await cow.run(["runs", "cancel", id])).stderr).toContain("is over: it is completed")
  })
})
