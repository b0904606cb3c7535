import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import * as OutputCapture from "../../src/shell/OutputCapture.ts"

const folder = mkdtempSync(join(tmpdir(), "cow-capture-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const withCapture = <A, E>(
  use: (capture: OutputCapture.OutputCapture) => Effect.Effect<A, E>,
  secrets: ReadonlyArray<string> = []
) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(OutputCapture.make(folder, secrets), use)).pipe(
      Effect.provide(BunServices.layer)
    )
  )

/** Bytes in pieces of these sizes, over and over. */
const pieces = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const all: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    all.push(bytes.slice(at, at + size))
    at += size
  }
  return all
}

const wide = fc.string({
  unit: fc.constantFrom("a", "é", "汉", "🐄", "👩‍🚀", "\n", "\t", "\u{10ffff}"),
  minLength: 1,
  maxLength: 60
})

describe("captured output", () => {
  test("no character is broken, however the bytes are cut and whenever they are read", async () => {
    await fc.assert(
      fc.asyncProperty(
        wide,
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (text, sizes) => {
          const { all, read } = await withCapture((capture) =>
            Effect.gen(function* () {
              let read = ""
              for (const piece of pieces(new TextEncoder().encode(text), sizes)) {
                yield* capture.push(piece)
                read += (yield* capture.fresh).text
              }
              yield* capture.end
              read += (yield* capture.fresh).text
              return { read, all: (yield* capture.captured).text }
            })
          )
          expect([read, all]).toEqual([text, text])
        }
      ),
      { numRuns: 200 }
    )
  })

  test("what is too much is kept in whole characters, on disk all of it", async () => {
    for (const unit of ["汉", "🐄", "é\n"])
      for (const size of [2, 3, 4093]) {
        const text = unit.repeat(30_000)
        const shown = await withCapture((capture) =>
          Effect.gen(function* () {
            for (const piece of pieces(new TextEncoder().encode(text), [size])) yield* capture.push(piece)
            yield* capture.end
            return yield* capture.captured
          })
        )
        expect(shown.text.isWellFormed()).toBe(true)
        expect([shown.text.includes("\ufffd"), text.endsWith(shown.text)]).toEqual([false, true])
        if (shown.file !== undefined) expect(readFileSync(shown.file, "utf8")).toBe(text)
        expect([unit, shown.file === undefined]).toEqual([unit, text.length <= 50_000 && unit !== "é\n"])
      }
  }, 60_000)

  test("bytes that are no text, and a character that never ends, are marked and nothing else is lost", async () => {
    const text = await withCapture((capture) =>
      Effect.gen(function* () {
        yield* capture.push(new Uint8Array([0x61, 0xff, 0x62, 0xe6]))
        yield* capture.push(new Uint8Array([0x63, 0xf0, 0x9f]))
        yield* capture.end
        return (yield* capture.captured).text
      })
    )
    expect(text).toBe("a\ufffdb\ufffdc\ufffd")
  })

  test("a secret is found though colours stand in it, pieces cut it, or it is read in between", async () => {
    const texts = await withCapture(
      (capture) =>
        Effect.gen(function* () {
          const read: Array<string> = []
          for (const piece of ["say TOP-", "\x1b[1mSEC", "RET\x1b[0m-VAL", "UE!\n", "TOP-SECRET"]) {
            yield* capture.push(new TextEncoder().encode(piece))
            read.push((yield* capture.fresh).text)
          }
          yield* capture.end
          return [...read, (yield* capture.fresh).text]
        }),
      ["TOP-SECRET-VALUE"]
    )
    expect(texts.join("")).toBe("say ********!\nTOP-SECRET")
    expect(texts.slice(0, 3).join("")).toBe("say ")
  })
})
