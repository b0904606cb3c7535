import { expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { split } from "../../src/frontmatter/FrontmatterFence.ts"

/** The plain reading: all lines of the file, one after the other. */
const byLines = (text: string) => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
  const closing = lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line))
  if (!/^---(?!-)\s*$/.test(lines[0] ?? "") || closing < 0) return undefined
  return { block: lines.slice(1, closing).join("\n"), body: lines.slice(closing + 1).join("\n") }
}

test("fences stand where a reading line by line finds them, whatever the line ends", () => {
  const piece = fc.constantFrom(
    "---",
    "--- ",
    "----",
    " ---",
    "a: b",
    "",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "x\u2028"
  )
  fc.assert(
    fc.property(fc.boolean(), fc.array(piece, { maxLength: 14 }), (marked, pieces) => {
      const text = `${marked ? "\uFEFF" : ""}---\n${pieces.join("")}`
      const found = split(text)
      expect(Result.isSuccess(found) ? found.success : undefined).toEqual(byLines(text))
    }),
    { numRuns: 2_000 }
  )
})

test("a block of 32,768 characters is read and one more is refused, whatever the line ends", () => {
  for (const end of ["\n", "\r\n"]) {
    const file = (last: string) => `---${end}${`a${end}`.repeat(16_383)}${last}${end}---${end}`
    expect(Result.map(split(file("aa")), ({ block }) => block.length)).toEqual(Result.succeed(32_768))
    expect(Result.isFailure(split(file("aaa")))).toBe(true)
  }
})
