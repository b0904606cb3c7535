import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as yaml from "yaml"
import { type Frontmatter, type FrontmatterInvalid, parseFrontmatter } from "../../src/index.ts"

const read = (text: string): Promise<Frontmatter> => Effect.runPromise(parseFrontmatter(text))
const refused = (text: string): Promise<FrontmatterInvalid> =>
  Effect.runPromise(Effect.flip(parseFrontmatter(text)))

describe("frontmatter", () => {
  test("a byte-order mark, CRLF ends, blanks after a fence and a fence at the end of the file are taken", async () => {
    const { data, body } = await read("\uFEFF---\r\nname: x\r\ndescription: d e\r\n---  \r\none\r\ntwo")
    expect(data).toEqual({ name: "x", description: "d e" })
    expect(body).toBe("one\ntwo")
    expect((await read("--- \nname: x\n---")).data).toEqual({ name: "x" })
    expect((await read("---yaml\nname: x\n---")).data).toEqual({ name: "x" })
  })

  test("only the first block counts and dashes inside a value are text", async () => {
    const { data, body } = await read(
      "---\nname: a --- b\nt: |\n  x\n  ---\n  y\n---\nbody\n---\nname: no\n---\n"
    )
    expect(data).toEqual({ name: "a --- b", t: "x\n---\ny\n" })
    expect(body).toBe("body\n---\nname: no\n---\n")
  })

  test("a missing or open fence is refused and the text is not read as metadata", async () => {
    for (const text of [
      "",
      "# title\n---\nname: x\n---\n",
      "----\nname: x\n----\n",
      "---\nname: x\n\n# Title\n"
    ])
      expect((await refused(text)).reason).toBe("absent")
  })

  test("no other language is read and nothing is ever evaluated", async () => {
    const scope = globalThis as { markerRan?: boolean }
    for (const tag of ["js", " javascript", "JS ", "coffee", "cson", "json", "toml", "js\t"]) {
      const error = await refused(
        `---${tag}\n(globalThis.markerRan = true, { name: "x", description: "d" })\n---\nb\n`
      )
      expect(error.reason).toBe("language")
      expect(error.message).toContain("only YAML frontmatter")
    }
    expect(scope.markerRan).toBeUndefined()
  })

  test("outside metadata a plain scalar keeps the text it was written as", async () => {
    const { data } = await read(
      "---\nname: 3000\na: 0x10\nb: [1.0, yes, ~]\nmetadata: {n: 7, on: true}\n---\n"
    )
    expect(data).toEqual({ name: "3000", a: "0x10", b: ["1.0", "yes", null], metadata: { n: 7, on: true } })
  })

  test("an unquoted colon is mended, the rest of the block stays, and the note names the line", async () => {
    const { data, notes } = await read(
      "---\nname: x\ndescription: Use when: the user's text\n  goes on: here\nmetadata:\n  requires:\n    env: [K]\n---\n"
    )
    expect(data).toEqual({
      name: "x",
      description: "Use when: the user's text goes on: here",
      metadata: { requires: { env: ["K"] } }
    })
    expect(notes.map(({ line }) => line)).toEqual([3])
  })

  test("a line that could hold a requirement is never mended", async () => {
    for (const block of [
      "metadata: cow: {requires: {env: [K]}}",
      "metadata:\n  requires: env: [K]",
      "description: Use: this\n  metadata: {requires: {env: [K]}}"
    ])
      expect((await refused(`---\nname: x\n${block}\n---\n`)).reason).toBe("unreadable")
  })

  test("what cannot be read is refused with its line, the second time as the first", async () => {
    const text = "---\nname: x\nfoo: [\n---\n"
    const first = await refused(text)
    expect(first).toMatchObject({ reason: "unreadable", line: 3 })
    expect(await refused(text)).toMatchObject({
      reason: "unreadable",
      line: first.line,
      message: first.message
    })
  })

  test("a second YAML document and a metadata key that stands there twice are refused", async () => {
    expect(await refused("---\nname: x\n...\nmetadata: {a: 1}\n---\n")).toMatchObject({
      reason: "unreadable",
      line: 3
    })
    expect((await refused("---\nmetadata: {a: 1}\nname: x\nmetadata: {b: 1}\n---\n")).reason).toBe(
      "unreadable"
    )
    const { data, notes } = await read("---\nname: x\nname: y\n---\n")
    expect(data).toEqual({ name: "y" })
    expect(notes.map(({ line }) => line)).toEqual([3])
  })

  test("a list or a word is refused, and an empty block has no values", async () => {
    expect((await refused("---\n- a\n---\n")).reason).toBe("no_map")
    expect((await refused("---\nword\n---\n")).reason).toBe("no_map")
    expect((await read("---\n# only a comment\n---\n")).data).toEqual({})
  })

  test("two megabytes, deep nesting and thousands of aliases are refused before they are parsed", async () => {
    const aliases = Array.from({ length: 3000 }, (_, at) => `k${at}: *a`).join("\n")
    const colons = Array.from({ length: 3000 }, (_, at) => `k${at}: a: b`).join("\n")
    // The parser itself is loaded by the first file that needs it; that is not measured here.
    await read("---\nname: {}\n---\n")
    for (const block of [
      `a: ${"x".repeat(2e6)}`,
      "x: y\n".repeat(4e5),
      `a: ${"[".repeat(9000)}`,
      `a: &a [1]\n${aliases}`,
      colons
    ]) {
      const before = performance.now()
      expect(["too_large", "unreadable"]).toContain((await refused(`---\n${block}\n---\n`)).reason)
      expect(performance.now() - before).toBeLessThan(1000)
    }
  })

  test("any name and description written as YAML come back whole", async () => {
    const field = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(field, field, async (name, description) => {
        const { data, notes } = await read(`---\n${yaml.stringify({ name, description })}---\nbody\n`)
        expect(data).toEqual({ name, description })
        expect(notes).toEqual([])
      }),
      { numRuns: 150 }
    )
  })

  test("any plain description with a colon comes back whole", async () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9'",.#-]{0,7}$/)
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 5 }), word, async (words, last) => {
        const description = `${words.join(": ")}: ${last}`
        expect((await read(`---\nname: n\ndescription: ${description}\n---\n`)).data).toEqual({
          name: "n",
          description
        })
      }),
      { numRuns: 150 }
    )
  })

  test("no text makes the parser throw", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (block) => {
        const result = await Effect.runPromise(Effect.result(parseFrontmatter(`---\n${block}\n---\n`)))
        expect(["Success", "Failure"]).toContain(result._tag)
      }),
      { numRuns: 200 }
    )
  })
})
