import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Secrets } from "../../src/index.ts"

const { hide, mask } = Secrets

describe("Secrets", () => {
  test("none is left in the text, whatever the order they are told in", () => {
    const word = fc.stringMatching(/^[ab]{1,6}$/)
    fc.assert(
      fc.property(fc.array(word), fc.array(word), (words, secrets) => {
        const hidden = hide(words.join(" "), secrets)
        for (const secret of secrets) expect(hidden).not.toContain(secret)
        expect(hide(words.join(" "), secrets.toReversed())).toBe(hidden)
      })
    )
  })

  test("secrets that overlap leave no rest", () => {
    expect(hide("xbbabx", ["bba", "bab"])).toBe(`x${mask}x`)
    expect(hide("aaa", ["aa"])).toBe(mask)
    expect(hide("abab", ["ab"])).toBe(mask + mask)
  })

  test("a longer secret that holds a shorter one is hidden whole, and an empty one hides nothing", () => {
    expect(hide("key sk-12345 and 123", ["123", "", "sk-12345"])).toBe(`key ${mask} and ${mask}`)
    expect(hide("nothing here", [""])).toBe("nothing here")
    expect(hide("a $& b", ["$&"])).toBe(`a ${mask} b`)
  })
})
