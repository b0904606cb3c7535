import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as TerminalText from "../../src/shell/TerminalText.ts"

const shown = (...pieces: ReadonlyArray<string>): string => {
  const terminal = TerminalText.make()
  return pieces.map((piece) => terminal.push(piece)).join("") + terminal.end()
}

const rows: ReadonlyArray<readonly [string, string]> = [
  ["plain\ttext\nof lines\n", "plain\ttext\nof lines\n"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["a\r\r\nb", "a\nb"],
  // Colours, titles, links, character sets, modes.
  ["\x1b[31mred\x1b[0m", "red"],
  ["\x1b[1;38;2;1;2;3mx\x1b[m\x1b(B", "x"],
  ["\x9b31mred", "red"],
  ["\x1b[2J\x1b[Hx", "x"],
  ["\x1b[?25lx\x1b[?25h\x1b[?1049h", "x"],
  ["\x1b]0;title\x07x", "x"],
  ["\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["\x1bPq#0;2;0\x1b\\x\x1b_y\x1b\\\x1b^z\x1b\\", "x"],
  ["\x1b7\x1b8\x1b=\x1b>\x1bMx", "x"],
  // A line that is drawn again.
  ["10%\r50%\r100%\n", "100%\n"],
  ["\r10%\r100%", "100%"],
  ["10%\r100%\r", "100%"],
  ["a long line\rshort\n", "short\n"],
  ["50%\r\x1b[Kdone\n", "done\n"],
  ["50%\r\x1b[K\n", "\n"],
  ["50%\x1b[2K\x1b[1Gdone\n", "done\n"],
  ["a\x1b[Kb\n", "ab\n"],
  ["|\b/\b-\b\\\bok\n", "ok\n"],
  ["N\bNA\bAM\bME\bE _\bx", "NAME x"],
  ["🐄\b🐎\b\b\b\bx", "x"],
  ["one\x1b[1A\x1b[2Ktwo", "one\ntwo"],
  ["a\x1b[5Cb", "a b"],
  // What means nothing here.
  ["a\0b\x07c\x0bd\x7f\x85", "a\\0bc\\x0bd\\x7f\\x85"],
  ["\x1b", ""],
  ["a\x1b[", "a"],
  ["a\x1b[3\nb", "a\nb"],
  ["a\x1b\nb", "a\nb"],
  ["a\x1b]0;no end\nb", "a0;no end\nb"],
  ["a\x1b]0;no end", "a0;no end"],
  ["a\x1bé", "aé"]
]

describe("what a terminal would show", () => {
  for (const [text, expected] of rows)
    test(`${JSON.stringify(text)} is ${JSON.stringify(expected)}, in one piece or many`, () => {
      expect(shown(text)).toBe(expected)
      expect(shown(...text)).toBe(expected)
    })

  const anyText = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom(
          "\x1b[",
          "\x1b]",
          "\x1b",
          "\x9b",
          "\x9d",
          "\r",
          "\n",
          "\b",
          "\x07",
          "\x1b\\",
          "\0",
          "1;2m",
          "K"
        )
      )
    )
    .map((parts) => parts.join(""))

  test("no control character but tab and newline is left, and printing it again changes nothing", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = shown(text)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
        expect(once).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
        expect(shown(once)).toBe(once)
      }),
      { numRuns: 2000 }
    )
  })

  test("is the same wherever the text is cut", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(40)), (text, sizes) => {
        const pieces: Array<string> = []
        let at = 0
        for (const size of sizes) {
          pieces.push(text.slice(at, at + size))
          at += size
        }
        expect(shown(...pieces, text.slice(at))).toBe(shown(text))
      }),
      { numRuns: 2000 }
    )
  })

  test("text without control characters stays as it is, also where it is read in between", () => {
    const clean = fc.string({ unit: "grapheme" }).filter((text) => !/[^\P{Cc}\n\t]/u.test(text))
    fc.assert(
      fc.property(fc.array(clean), (pieces) => {
        const terminal = TerminalText.make()
        const read = pieces.map((piece) => terminal.push(piece) + terminal.flush()).join("")
        expect(read + terminal.end()).toBe(pieces.join(""))
      })
    )
  })

  test("a line that was read and is drawn again begins anew", () => {
    const terminal = TerminalText.make()
    expect(terminal.push("10%") + terminal.flush()).toBe("10%")
    expect(terminal.push("\r20%") + terminal.flush()).toBe("\n20%")
    expect(terminal.push(" more\n")).toBe(" more\n")
  })

  test("a line, a title and a row of zeros without an end take bounded time", () => {
    const terminal = TerminalText.make()
    let chars = 0
    const began = performance.now()
    for (let n = 0; n < 300; n++) chars += terminal.push("x".repeat(65_536)).length
    for (let n = 0; n < 100; n++) chars += terminal.push("\0".repeat(65_536)).length
    for (let n = 0; n < 100; n++) chars += terminal.push(n === 0 ? "\x1b]0;" : "y".repeat(1000)).length
    for (let n = 0; n < 10; n++) terminal.push("z\b".repeat(30_000))
    expect(chars).toBeGreaterThan(300 * 65_536 + 2 * 100 * 65_536 + 90_000)
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})
