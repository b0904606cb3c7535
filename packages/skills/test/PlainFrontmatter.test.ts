import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { parseYaml } from "../src/Frontmatter.ts"
import * as PlainFrontmatter from "../src/PlainFrontmatter.ts"

/** What the short cut takes, the parser must read as the same values and without a note. */
const agrees = async (block: string): Promise<boolean> => {
  const plain = PlainFrontmatter.parse(block)
  if (plain === undefined) return false
  const whole = await Effect.runPromise(Effect.result(parseYaml(block, "")))
  expect([block, whole]).toMatchObject([block, { _tag: "Success", success: { data: plain, notes: [] } }])
  return true
}

describe("the short cut for plain frontmatter", () => {
  test("takes names and sentences as they are usually written", async () => {
    for (const block of [
      'name: a-b\ndescription: Does X, Y (or Z). Use when the user\'s text says "so".\nlicense: MIT',
      "name: 3000\ndescription: yes\nv: 1.0",
      "name: größe  \ndescription: 3 知识库: 整理"
    ])
      expect([block, await agrees(block)]).toEqual([block, !block.includes(": 整")])
  })

  test("leaves to the parser what may mean more", () => {
    for (const block of [
      "",
      "name: [a]",
      "name: a: b",
      "name: a #b",
      "name: a:",
      "name:",
      "name: null",
      "name: a\nname: b",
      "name: a\n  b",
      "metadata: x",
      "# c",
      "name: a\n\nb: c",
      "name: 'a'",
      "name: ~",
      "null: a"
    ])
      expect(PlainFrontmatter.parse(block)).toBeUndefined()
  })

  test("reads whatever it takes exactly as the parser does", async () => {
    const key = fc.oneof(
      fc.constantFrom("name", "description", "true", "yes", "y", "no", "null", "e1"),
      fc.stringMatching(/^[A-Za-z][\w-]{0,6}$/)
    )
    const piece = fc.oneof(
      fc.constantFrom(
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
        "\\"
      ),
      fc.constantFrom(
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
        "\r"
      ),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/)
    )
    const value = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""))
    const entry = fc.tuple(key, value).map(([one, other]) => `${one}: ${other}`)
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 3 }), async (lines) => {
        if (await agrees(lines.join("\n"))) taken++
      }),
      { numRuns: 3000 }
    )
    expect(taken).toBeGreaterThan(100)
  }, 30_000)
})
