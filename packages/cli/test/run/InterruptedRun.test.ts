import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(30_000)

test("a run whose process was killed counts as failed from the next run on", async () => {
  const asked = Promise.withResolvers<void>()
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked.resolve()
      return new Promise<Response>(() => {})
    }
  })
  const provider = { type: "openai-compatible", base_url: `http://127.0.0.1:${silent.port}/v1` }
  using cow = new Cow({ model: "silent/m", providers: { silent: provider } })
  const statuses = () => {
    using db = new Database(join(cow.home, "state.db"))
    return db.query("SELECT status, error FROM runs ORDER BY number").all()
  }
  try {
    const child = cow.open(["run", "hello"])
    await asked.promise
    child.kill("SIGKILL")
    await child.exited
    expect(statuses()).toEqual([{ status: "running", error: null }])

    expect((await cow.run(["run", "hello", "--model", "offline/cow"])).code).toBe(0)
    expect(statuses()).toEqual([
      { status: "failed", error: "interrupted" },
      { status: "completed", error: null }
    ])
  } finally {
    await silent.stop(true)
  }
})
