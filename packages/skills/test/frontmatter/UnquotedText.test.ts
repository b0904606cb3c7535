import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as yaml from "yaml"
import { type Frontmatter, parseFrontmatter } from "../../src/index.ts"

const gate = "metadata:\n  requires:\n    env: [K]"
const read = (...lines: ReadonlyArray<string>): Promise<Frontmatter> =>
  Effect.runPromise(parseFrontmatter(`---\nname: x\n${lines.join("\n")}\n${gate}\n---\nbody\n`))

describe("a text without quotes is kept whole, with a note that names its line", () => {
  const texts = [
    "Fixes issue #42 and C# code",
    "#42 and no more",
    "*.md files",
    "*",
    "{x} templates",
    '"Quoted" then more',
    "'Quoted' then more",
    '"never closed',
    "@x",
    "`x` does it",
    "%x",
    "&x y",
    "!x y",
    "!!# really",
    "'''",
    "'a''",
    "![image] of it",
    "![a]",
    "- x",
    "? x",
    "| x",
    "> x",
    "[a] b",
    "] x",
    ", x",
    ": x",
    "Use when: the user asks",
    "ends with:",
    "a:\tb",
    "a\t# b",
    "Use (a: b) & 'c' # d"
  ]
  for (const field of ["description", "license", "compatibility", "version", "x-note"])
    test(`of ${field}`, async () => {
      for (const text of texts) {
        const { data, notes } = await read(`${field}: ${text}`)
        expect(data).toEqual({ name: "x", [field]: text, metadata: { requires: { env: ["K"] } } })
        expect(notes.map(({ line, message }) => [line, message.includes(`"${field}"`)])).toEqual([[3, true]])
      }
    })

  test("of a place to be filled in", async () => {
    for (const field of ["description", "license"])
      expect((await read(`${field}: {x}`)).data[field]).toBe("{x}")
  })

  test("of several lines", async () => {
    for (const lines of [
      ["description: Fixes #42 and", "  C# #43", "  code"],
      ["description: first", "\tFixes #42 and C# #43 code"],
      ["description:", "  Fixes #42 and", "  C# #43 code"],
      ["description:", "  Use when: the user", "  asks"]
    ]) {
      const { data, notes } = await read(...lines)
      const whole = lines
        .join(" ")
        .replace(/^description:/, "")
        .trim()
        .replace(/\s+/g, " ")
      expect(data.description).toBe(whole)
      expect(data.metadata).toEqual({ requires: { env: ["K"] } })
      expect(notes.length).toBe(1)
    }
  })

  test("what YAML would have left out is shown", async () => {
    const { notes } = await read("description: Fixes issue #42 and C# code")
    expect(notes[0]?.message).toContain('"#42 and C# code"')
    expect(notes[0]?.readable).toBe(true)
  })

  test("backslashes that are no YAML are text", async () => {
    expect((await read('description: "C:\\work and \\"more\\""')).data.description).toBe(
      'C:\\work and "more"'
    )
  })

  test("of a name; a comment behind it is told and is no part of it", async () => {
    const named = async (text: string) => {
      const { data, notes } = await Effect.runPromise(
        parseFrontmatter(`---\nname: ${text}\ndescription: d {x}\n---\n`)
      )
      return [data.name, notes.map(({ line }) => line)]
    }
    expect(await named("@x")).toEqual(["@x", [2]])
    expect(await named("[a] b")).toEqual(["[a] b", [2]])
    expect(await named("my-skill # the best")).toEqual(["my-skill", [2]])
  })
})

describe("what is YAML is read as YAML, without a note", () => {
  const values: Readonly<Record<string, unknown>> = {
    "'in quotes' # and a comment": "in quotes",
    '"in quotes: #1" # and a comment': "in quotes: #1",
    "[a, b]": ["a", "b"],
    "[a, b] # two": ["a", "b"],
    "{a: b}": { a: "b" },
    "~": null,
    "!!str 5": "5",
    "a#b c:d": "a#b c:d",
    "it's 100% (a, b) - [c] {d} & *e*": "it's 100% (a, b) - [c] {d} & *e*",
    "-x": "-x",
    "?x": "?x",
    ":x": ":x",
    '"two\n  lines"': "two lines",
    "two\n  lines": "two lines",
    ">-\n  folded: #1\n  @text": "folded: #1 @text",
    "|-\n  - literal\n  # text": "- literal\n# text",
    "> # a comment\n  text": "text\n"
  }
  for (const [written, value] of Object.entries(values))
    test(JSON.stringify(written), async () => {
      const { data, notes } = await read(`description: ${written}`)
      expect(data.description).toEqual(value)
      expect(notes).toEqual([])
    })

  test("comments behind words and switches, and an alias with its anchor", async () => {
    const { data, notes } = await read(
      "disable-model-invocation: true # for people",
      "tool_names: [a] # one",
      "license: &l MIT",
      "x-license: *l",
      "x-map: {a: 1}"
    )
    expect(data).toMatchObject({
      "disable-model-invocation": "true",
      tool_names: ["a"],
      license: "MIT",
      "x-license": "MIT",
      "x-map": { a: "1" }
    })
    expect(notes).toEqual([])
  })
})

test("no requirement is ever taken into a text", async () => {
  const error = await Effect.runPromise(
    Effect.flip(parseFrontmatter("---\nname: x\ndescription: *.md\n  requires: {env: [K]}\n---\n"))
  )
  expect(error.reason).toBe("unreadable")
})

test("any one line comes back whole, as YAML reads it or as it was written", async () => {
  const sign = fc.constantFrom(..."#:*&!|>'\"%@`{}[],?- \tab1é漢".split(""))
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: sign, minLength: 1, maxLength: 12 }), async (given) => {
      const text = given.trim()
      fc.pre(text !== "" && !/^[|>][0-9+-]*(?:\s+#.*)?$/.test(text) && !/^[&*]/.test(text))
      const { data, notes } = await read(`description: ${text}`)
      const alone = yaml.parseDocument(`description: ${text}\nnext: 0`, { logLevel: "silent" })
      if (notes.length > 0) {
        const loose = /^"(.*)"$/.exec(text)?.[1]?.replaceAll('\\"', '"')
        expect([text, loose]).toContain(data.description as string)
      } else expect(alone.errors).toEqual([])
    }),
    { numRuns: 400, examples: [["!!#"], ['!"a"'], ["![1]"]] }
  )
})
