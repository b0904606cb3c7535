import { expect, test } from "bun:test"
import fc from "fast-check"
import { ByteRing } from "../../src/process/ByteRing.ts"

test("holds the last bytes of whatever was pushed, and counts what had to go", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }),
      (bound, chunks) => {
        const ring = new ByteRing(bound)
        for (const chunk of chunks) ring.push(chunk)
        const all = chunks.flatMap((chunk) => [...chunk])
        expect([...ring.bytes()]).toEqual(all.slice(-bound))
        expect(ring.takeAll().lost).toBe(Math.max(0, all.length - bound))
        expect(ring.takeAll()).toEqual({ bytes: new Uint8Array(0), lost: 0 })
      }
    )
  )
})
