import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Words } from "../../src/index.ts"

describe("split", () => {
  const cases: ReadonlyArray<[string, ReadonlyArray<string>]> = [
    ["get_user-name", ["get", "user", "name"]],
    ["getUserName", ["get", "user", "name"]],
    ["HTTPServer getURL", ["http", "server", "get", "url"]],
    ["utf8 v2", ["utf", "8", "v", "2"]],
    ["Forecasts, forecasting!", ["forecast", "forecast"]],
    ["Größe ÀLA", ["größe", "àla"]],
    ["天气", ["天", "气", "天气"]],
    ["查询天气API", ["查", "询", "天", "气", "查询", "询天", "天气", "api"]],
    ["東京の天気", ["東", "京", "東京", "の", "天", "気", "天気"]],
    ["サーバー", ["サーバー"]],
    ["हिन्दी", ["हिन्दी"]],
    ["한국어", ["한국어"]],
    ["ｆｕｌｌ", ["full"]],
    ["", []],
    ["!? --", []]
  ]
  for (const [text, words] of cases)
    test(`${JSON.stringify(text)} is ${JSON.stringify(words)}`, () => {
      expect(Words.split(text)).toEqual(words)
    })

  test("gives lower-case words without spaces, the same for the same text in other clothes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(..."abcdefgs"), minLength: 1 })), (words) => {
        const snake = Words.split(words.join("_"))
        expect(Words.split(words.join(" "))).toEqual(snake)
        expect(Words.split(words.join("-").toUpperCase())).toEqual(snake)
        expect(snake.length).toBe(words.length)
      })
    )
  })

  test("a radical that is a sign and no letter is no word", () => {
    expect(Words.split("⺙ 水⺙")).toEqual(["水"])
  })

  test("takes any text, and its words hold no capital, space or sign", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const word of Words.split(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u)
      })
    )
  })
})

describe("stem", () => {
  test("brings forms of a word together", () => {
    const families = [
      ["forecast", "forecasts", "forecasting", "forecasted"],
      ["query", "queries"],
      ["search", "searches", "searching"],
      ["class", "classes"],
      ["create", "creates", "created", "creating"],
      ["message", "messages"],
      ["database", "databases"],
      ["setting", "settings"],
      ["cookie", "cookies"],
      ["size", "sizes"],
      ["plan", "plans", "planned", "planning"]
    ]
    for (const family of families) {
      const stems = family.map(Words.stem)
      expect(stems).toEqual(family.map(() => stems[0] ?? ""))
    }
  })

  test("leaves short words, endings that are no plural, and other scripts", () => {
    for (const word of ["as", "bus", "status", "analysis", "größe", "天气"])
      expect(Words.stem(word)).toBe(word)
  })

  test("a plural in -s has the stem of its singular", () => {
    const singular = fc.stringMatching(/^[a-z]{2,6}[aegklnprtw]$/)
    // `axes` may be those of an axe or of an axis.
    const plain = singular.filter((word) => !/(ss|sh|ch|x|zz)e$/.test(word))
    fc.assert(
      fc.property(plain, (word) => expect(Words.stem(`${word}s`)).toBe(Words.stem(word))),
      {
        numRuns: 2000
      }
    )
  })

  test("never gives nothing and never grows", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abeingdsxzy"), minLength: 1 }), (word) => {
        expect(Words.stem(word).length).toBeGreaterThan(0)
        expect(Words.stem(word).length).toBeLessThanOrEqual(word.length)
      })
    )
  })
})
