import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Secrets } from "../../src/index.ts"

const { hide, mask } = Secrets

const letters = (min: number, max: number) => fc.stringMatching(new RegExp(`^[ab]{${min},${max}}$`))

describe("Secrets", () => {
  test("of eight characters none is left in the text, whatever the order they are told in", () => {
    fc.assert(
      fc.property(fc.array(letters(1, 20)), fc.array(letters(8, 9)), (words, secrets) => {
        const hidden = hide(words.join(" "), secrets)
        for (const secret of secrets) expect(hidden).not.toContain(secret)
        expect(hide(words.join(" "), secrets.toReversed())).toBe(hidden)
      })
    )
  })

  test("shorter ones are hidden as whole words, and other words stay as they are", () => {
    fc.assert(
      fc.property(fc.array(letters(1, 4)), fc.array(letters(1, 4)), (words, secrets) => {
        const hidden = words.map((word) => (secrets.includes(word) ? mask : word))
        expect(hide(words.join(" "), secrets)).toBe(hidden.join(" "))
      })
    )
  })

  test("a short one is no part of a longer word, in whatever script, and is found between other signs", () => {
    for (const text of ["fake", "k8s", "k_1", "mak", "кk", "k\u0301", "𝐚k𝐚", "ok"])
      expect(hide(text, ["k"])).toBe(text)
    for (const [before, after] of ["''", "=&", ": ", "()", "/?", '""', "-.", "😀😀"].map((pair) => [...pair]))
      expect(hide(`${before}k${after}`, ["k"])).toBe(`${before}${mask}${after}`)
    expect(hide("k", ["k"])).toBe(mask)
    expect(hide("fake-key-1 in fake-key-12", ["fake-key-1"])).toBe(`${mask} in ${mask}2`)
  })

  test("one that stands in an address is found in its escaped form", () => {
    expect(hide("GET /?key=p%40ss%2Fw0rd&x=1", ["p@ss/w0rd"])).toBe(`GET /?key=${mask}&x=1`)
    expect(hide("\ud800 alone", ["\ud800"])).toBe(`${mask} alone`)
  })

  test("secrets that overlap leave no rest", () => {
    expect(hide("xbbabbabbaxx", ["bbabbabb", "babbabba"])).toBe(`x${mask}xx`)
    expect(hide("aaaaaaaaa", ["aaaaaaaa"])).toBe(mask)
    expect(hide("abcdefghabcdefgh", ["abcdefgh"])).toBe(mask + mask)
  })

  test("a longer secret that holds a shorter one is hidden whole, and a blank one hides nothing", () => {
    expect(hide("key sk-12345 and 123", ["123", "", "sk-12345"])).toBe(`key ${mask} and ${mask}`)
    expect(hide("nothing  here", ["", " ", "  "])).toBe("nothing  here")
    expect(hide("a $& b", ["$&"])).toBe(`a ${mask} b`)
  })
})
