import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { LineFramer } from "../../src/connection/LineFramer.ts"

const linesOf = (framer: LineFramer, chunks: ReadonlyArray<Uint8Array>) =>
  chunks.flatMap((chunk) => {
    const framed = framer.push(chunk)
    return framed._tag === "Lines" ? framed.lines : ["(too long)"]
  })

describe("lines of a pipe", () => {
  test("are the same wherever the bytes are cut", () => {
    const line = fc.string({ unit: "grapheme" }).map((value) => value.replace(/[\r\n\uFEFF]/g, ""))
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.nat(40)),
        fc.constantFrom("\n", "\r\n"),
        (lines, sizes, end) => {
          const bytes = new TextEncoder().encode(lines.map((one) => `${one}${end}`).join(""))
          const chunks: Array<Uint8Array> = []
          let from = 0
          for (const size of sizes) {
            chunks.push(bytes.slice(from, from + size))
            from += size
          }
          chunks.push(bytes.slice(from))
          expect(linesOf(new LineFramer(1 << 20), chunks)).toEqual(lines.map((one) => one.toWellFormed()))
        }
      )
    )
  })

  test("without end are dropped above the limit, in one chunk or many", () => {
    const ten = new Uint8Array(10).fill(0x78)
    expect(linesOf(new LineFramer(25), [ten, ten, ten])).toEqual(["(too long)"])
    expect(linesOf(new LineFramer(5), [ten])).toEqual(["(too long)"])
    expect(linesOf(new LineFramer(20), [ten, ten, new Uint8Array([0x0a])])).toEqual(["x".repeat(20)])
  })

  test("of many megabytes cost no more than their length", () => {
    const framer = new LineFramer(64 << 20)
    const chunk = new Uint8Array(65536).fill(0x78)
    const began = performance.now()
    for (let at = 0; at < 800; at++) framer.push(chunk)
    const framed = framer.push(new Uint8Array([0x0a]))
    expect(framed._tag === "Lines" && framed.lines[0]?.length).toBe(800 * 65536)
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
