import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as SecretMask from "../../src/tool/SecretMask.ts"

describe("the mask of secrets", () => {
  test("takes values, not keys, out of JSON and .env files, and leaves short ones", () => {
    expect(SecretMask.secretsIn('{"access_token":"aaaa-bbbb-cccc","n":"short"}')).toEqual(["aaaa-bbbb-cccc"])
    expect(SecretMask.secretsIn("# c\nA=first-secret-1\nexport B='second-secret-2'\n")).toEqual([
      "second-secret-2",
      "first-secret-1"
    ])
  })

  test("hides a secret however the text is cut, and changes nothing else", () => {
    const secret = "abcabd-secret"
    const text = fc
      .array(fc.constantFrom(secret, "abc", "x", "abcabd", "\n"), { maxLength: 20 })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (whole, sizes) => {
        const mask = SecretMask.make([secret])
        let out = ""
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          out += mask.push(whole.slice(at, at + size))
          at += size
        }
        expect(out + mask.end()).toBe(whole.replaceAll(secret, SecretMask.masked))
      })
    )
  })
})
