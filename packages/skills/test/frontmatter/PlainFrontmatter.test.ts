import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { parseYaml } from "../../src/frontmatter/Frontmatter.ts"
import * as PlainFrontmatter from "../../src/frontmatter/PlainFrontmatter.ts"

/** What the short cut takes, the parser must read as the same values and without a note. */
const agrees = async (block: string): Promise<boolean> => {
  const plain = PlainFrontmatter.parse(block)
  if (plain === undefined) return false
  const whole = await Effect.runPromise(Effect.result(parseYaml(block, "")))
  expect([block, whole._tag]).toEqual([block, "Success"])
  if (whole._tag === "Success")
    expect([block, whole.success.notes, whole.success.data]).toEqual([block, [], plain])
  return true
}

const pieces = [
  ": ",
  ":",
  " #",
  "#",
  " ",
  "  ",
  "\t",
  "- ",
  "? ",
  "&a ",
  "*a",
  "!x",
  "|",
  ">",
  "'",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  "%",
  "@",
  "`",
  "\\",
  "true",
  "null",
  "0x1F",
  "1e3",
  ".5",
  "2001-01-01",
  "0o7",
  "~",
  "...",
  "---",
  "\u00a0",
  "\u2028",
  "\u0085",
  "\ufeff",
  "\r",
  "False",
  "TRUE",
  "Null",
  "y",
  "1_000",
  ".inf",
  "<<"
]
const piece = fc.oneof(
  fc.constantFrom(...pieces),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/)
)
const wild = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""))
const word = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_][\w./+@-]{0,6}$/),
  fc.constantFrom("true", "null", "1", "1.0", "a b")
)
const key = fc.oneof(
  fc.constantFrom(
    "name",
    "description",
    "metadata",
    "true",
    "yes",
    "y",
    "no",
    "null",
    "e1",
    "cow.requires",
    "os"
  ),
  fc.stringMatching(/^[A-Za-z][\w.-]{0,6}$/)
)
const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: true }).map((value) => JSON.stringify({ k: value }))
const scalar = fc.oneof(
  wild,
  word,
  word.map((one) => `"${one}"`),
  wild.map((one) => `'${one}'`),
  wild.map((one) => `"${one}"`),
  fc.array(word, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
  fc.array(fc.oneof(word, wild), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  json,
  json.map((text) => text.replaceAll(",", ", ").replaceAll(":", ": "))
)
const styles = fc.constantFrom("|", ">", "|-", ">-", "> ", "|+", ">2")

/** Lines as authors write them, with indents that are right most of the time. */
const body = (depth: number, indent: number): fc.Arbitrary<ReadonlyArray<string>> => {
  const pad = fc.oneof(
    { weight: 12, arbitrary: fc.constant(" ".repeat(indent)) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "   ", "\t") }
  )
  const line = fc.tuple(pad, key, scalar).map(([start, one, other]) => [`${start}${one}: ${other}`])
  const items = fc
    .tuple(pad, key, fc.constantFrom(indent, indent + 2), fc.array(scalar, { minLength: 1, maxLength: 3 }))
    .map(([start, one, at, all]) => [`${start}${one}:`, ...all.map((item) => `${" ".repeat(at)}- ${item}`)])
  const long = fc
    .tuple(pad, key, styles, fc.array(wild, { minLength: 1, maxLength: 3 }))
    .map(([start, one, style, all]) => [
      `${start}${one}: ${style}`,
      ...all.map((item) => `${" ".repeat(indent + 2)}${item}`)
    ])
  const nested =
    depth === 0
      ? line
      : fc
          .tuple(pad, fc.oneof(fc.constant("metadata"), key), body(depth - 1, indent + 2))
          .map(([start, one, all]) => [`${start}${one}:`, ...all])
  return fc
    .array(fc.oneof(line, items, long, nested), { minLength: 1, maxLength: 3 })
    .map((all) => all.flat())
}

describe("the short cut for plain frontmatter", () => {
  test("takes names, sentences and requirements as they are usually written", async () => {
    for (const block of [
      'name: a-b\ndescription: Does X, Y (or Z). Use when the user\'s text says "so".\nlicense: MIT',
      "name: 3000\ndescription: yes\nv: 1.0",
      "name: größe  \ndescription: 3 知识库整理 🧠",
      "name: a\ndescription: d\nallowed-tools: [Bash, Read]\ntool_names:\n  - read\n  - mcp__fs__write",
      'name: a\ndescription: "Use when: asked"\nmetadata:\n  cow:\n    always: true\n    requires:\n      bins: [git, jq]\n      env:\n      - K\n    emoji: "🧠"',
      'name: a\ndescription: d\nmetadata: {"openclaw": {"requires": {"bins": ["curl"]}, "always": false}}',
      "name: a\ndescription: >-\n  one two\n  three\nlicense: MIT",
      "name: a\nmetadata:\n  cow.requires.bins: git jq\n  text: |\n    a\n    b"
    ])
      expect([block, await agrees(block)]).toEqual([block, true])
  })

  test("leaves to the parser what may mean more", () => {
    for (const block of [
      "",
      "name: [a, null]",
      "name: a: b",
      "name: a #b",
      "name: a:",
      "name:",
      "name: null",
      "name: a\nname: b",
      "name: a\n  b",
      "# c",
      "name: a\n\nb: c",
      "name: 'it''s'",
      'name: "a\\n"',
      "name: ~",
      "null: a",
      "x:\n  y: z",
      "metadata: {a: b}",
      "metadata:\n  n: 7",
      "metadata:\n  a: b\n    c: d",
      'metadata: {"a":1,"a":2}',
      "d: >\n  a\n   b",
      "d: |\n  a  \n  b"
    ])
      expect([block, PlainFrontmatter.parse(block)]).toEqual([block, undefined])
  })

  test("reads whatever it takes exactly as the parser does", async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(body(2, 0), async (lines) => {
        if (await agrees(lines.join("\n"))) taken++
      }),
      { numRuns: 6000 }
    )
    expect(taken).toBeGreaterThan(300)
  }, 60_000)
})
