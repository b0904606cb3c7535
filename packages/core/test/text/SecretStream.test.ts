import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { SecretStream, Secrets } from "../../src/index.ts"

describe("SecretStream", () => {
  const secrets = ["abcabd-secret", "secretsecret", "abc", "b", "é b"]
  const texts = fc
    .array(
      fc.constantFrom(...secrets, "abcabd", "secret", "x", "-", " ", "\n", "😀", "𝐚", "%C3%A9%20b", "%C3"),
      { maxLength: 20 }
    )
    .map((parts) => parts.join(""))
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })

  test("however the text is cut, what comes out is what the whole would give", () => {
    fc.assert(
      fc.property(texts, sizes, (whole, cuts) => {
        const stream = SecretStream.make(secrets)
        let out = ""
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const piece = whole.slice(at, at + (cuts[turn % cuts.length] ?? 1))
          const seen = stream.peek(piece)
          expect(stream.push(piece)).toBe(seen)
          out += seen
          at += piece.length
        }
        expect(out + stream.end()).toBe(Secrets.hide(whole, secrets))
      }),
      { numRuns: 500 }
    )
  })

  test("what can be no secret is given at once", () => {
    const stream = SecretStream.make(["abcabd-secret"])
    expect(stream.push("one abc")).toBe("one ")
    expect(stream.push("x")).toBe("abcx")
    expect(SecretStream.make([""]).push("as it came")).toBe("as it came")
  })

  test("a short secret at the end waits for what touches it", () => {
    const stream = SecretStream.make(["k"])
    expect([stream.push("k"), stream.push("ey k"), stream.push(" "), stream.push("k"), stream.end()]).toEqual(
      ["", "key ", `${Secrets.mask} `, "", Secrets.mask]
    )
  })
})
