import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { LexicalIndex, type ToolDocument } from "../src/index.ts"

const document = (
  server: string,
  name: string,
  description = "",
  params: ToolDocument.ToolDocument["params"] = []
): ToolDocument.ToolDocument => ({ id: `mcp__${server}__${name}`, server, name, description, params })

const ids = (index: LexicalIndex.LexicalIndex, query: string, limit = 10) =>
  LexicalIndex.search(index, query, limit).map(({ id }) => id)

const index = LexicalIndex.build([
  document("fs", "read_file", "Read a text file", [{ name: "path", description: "where the file is" }]),
  document("fs", "write_file", "Write a text file"),
  document("fs", "read_many_files", "Read several files at once; like read_file, read file by file"),
  document("web", "getWeatherForecast", "Forecast of a city"),
  document("cn", "tianqi", "查询天气预报"),
  document("mail", "send", "Sends a letter", [{ name: "recipient", description: "" }])
])

describe("LexicalIndex", () => {
  test.each(["read_file", "readFile", "read file", "fs.read_file", "mcp__fs__read_file", "READ_FILE"])(
    "%s, a way of naming a tool, finds it first",
    (query) => expect(ids(index, query)[0]).toBe("mcp__fs__read_file")
  )

  test("every tool of 500 is first under its own names", () => {
    const verbs = ["read", "list", "get", "delete", "update"]
    const nouns = [
      "file",
      "user",
      "issue",
      "pull_request",
      "calendar_event",
      "file_list",
      "user_get",
      "page",
      "a",
      "b"
    ]
    const all = verbs.flatMap((verb) =>
      nouns.flatMap((noun) =>
        Array.from({ length: 10 }, (_, at) =>
          document(`s${at}`, `${verb}_${noun}`, `${verb} the ${noun} again`)
        )
      )
    )
    const many = LexicalIndex.build(all)
    for (const { id, name, server } of all) {
      expect(ids(many, id)[0]).toBe(id)
      expect(ids(many, `${server}.${name}`)[0]).toBe(id)
      expect(ids(many, name)[0]).toEndWith(`__${name}`)
    }
  })

  test("words of camelCase names, descriptions, parameters and servers are found", () => {
    expect(ids(index, "weather forecast")[0]).toBe("mcp__web__getWeatherForecast")
    expect(ids(index, "which recipients")[0]).toBe("mcp__mail__send")
    expect(ids(index, "letters")).toEqual(["mcp__mail__send"])
    expect(ids(index, "mail")).toEqual(["mcp__mail__send"])
  })

  test("Chinese words are found", () => expect(ids(index, "天气 预报")).toEqual(["mcp__cn__tianqi"]))

  test("nothing in common is no hit, and so is an empty query or limit", () => {
    expect(ids(index, "zebra")).toEqual([])
    expect(ids(index, "  ")).toEqual([])
    expect(ids(index, "read", 0)).toEqual([])
    expect(ids(index, "read", Number.NaN)).toEqual([])
    expect(ids(LexicalIndex.build([]), "read")).toEqual([])
  })

  test("equal tools keep the order of the index", () => {
    const same = LexicalIndex.build(["c", "a", "b"].map((server) => document(server, "go", "run away")))
    expect(ids(same, "run away", 1)).toEqual(["mcp__c__go"])
  })

  test("scores fall, hits are few enough, known and different, whatever is asked", () => {
    const word = fc.constantFrom("read", "file", "weather", "天气", "user", "the", "")
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "))
    const documents = fc.array(
      fc.record({ server: fc.constantFrom("s", "t"), name: text, description: text }).map((one) => ({
        ...one,
        id: `${one.server}/${one.name}`,
        params: []
      }))
    )
    fc.assert(
      fc.property(
        documents,
        fc.oneof(text, fc.string()),
        fc.integer({ min: -1, max: 20 }),
        (all, query, limit) => {
          const hits = LexicalIndex.search(LexicalIndex.build(all), query, limit)
          expect(hits.length).toBeLessThanOrEqual(Math.max(0, limit))
          for (const [at, hit] of hits.entries()) {
            expect(hit.score).toBeGreaterThan(0)
            expect(Number.isFinite(hit.score)).toBe(true)
            if (at > 0) expect(hit.score).toBeLessThanOrEqual(hits[at - 1]?.score ?? 0)
            expect(all.some(({ id }) => id === hit.id)).toBe(true)
          }
        }
      )
    )
  })
})
