import { afterAll, describe, expect, test } from "bun:test"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

describe("todo", () => {
  test("keeps one list a session, shows it back, and replaces it whole", async () => {
    const items = [
      { text: "look", status: "done" },
      { text: "change", status: "in_progress" },
      { text: "test" }
    ]
    const kept = await bench.call("todo", { items })
    expect(kept.text).toBe("1. [x] look\n2. [>] change\n3. [ ] test\n[1 of 3 done]")
    expect((await bench.call("todo", {})).text).toBe(kept.text)
    expect((await bench.call("todo", {}, { sessionId: "other" })).text).toBe("[the list is empty]")
    expect((await bench.call("todo", { items: [{ text: "new" }] })).text).toBe("1. [ ] new\n[0 of 1 done]")
    expect((await bench.call("todo", { items: [] })).text).toBe("[the list is empty]")
  })

  test("a wrong item is an error that names it, and the list stays", async () => {
    await bench.call("todo", { items: [{ text: "stays" }] })
    for (const items of [
      [{ text: " " }],
      [{ text: "a", status: "later" }],
      ["a"],
      [{}],
      "a",
      Array(201).fill({ text: "a" })
    ])
      expect((await bench.call("todo", { items })).status).toBe("error")
    expect((await bench.call("todo", { items: [{ text: "a" }, { text: "" }] })).text).toContain("items[1]")
    expect((await bench.call("todo", {})).text).toContain("stays")
  })

  test("reads, in every mode, as do the tools that only look", async () => {
    const looking = {
      todo: { items: [] },
      read: { path: "x" },
      ls: {},
      search_files: { pattern: "x" },
      web_fetch: { url: "https://example.com" }
    }
    for (const [name, input] of Object.entries(looking))
      expect([name, ...(await bench.verdicts(name, input))]).toEqual([name, "Allow", "Allow", "Allow"])
  })
})
