import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as PageCharset from "../../src/web/PageCharset.ts"

const known = [
  ["gbk", "babad7d6", "汉字"],
  ["gb2312", "d6d0cec4", "中文"],
  ["gb18030", "babaa2e3", "汉€"],
  ["big5", "ba7ea672", "漢字"],
  ["shift_jis", "93fa967b8cea", "日本語"],
  ["euc-jp", "c6fccbdc", "日本"],
  ["iso-2022-jp", "1b2442467c4b5c1b2842", "日本"],
  ["euc-kr", "c7d1b1db", "한글"],
  ["windows-1250", "ec9ae8", "ěšč"],
  ["windows-1251", "cff0e8e2e5f2", "Привет"],
  ["windows-1252", "938094", "“€”"],
  ["windows-1253", "c5ebeb", "Ελλ"],
  ["windows-1254", "f0fdfe", "ğış"],
  ["windows-1255", "f9ece5ed", "שלום"],
  ["windows-1256", "d3e1c7e3", "سلام"],
  ["windows-1257", "e0e8e6", "ąčę"],
  ["windows-1258", "f0f5", "đơ"],
  ["windows-874", "e4b7c2", "ไทย"],
  ["koi8-r", "f0d2c9d7c5d4", "Привет"],
  ["iso-8859-2", "ecb9e8", "ěšč"],
  ["iso-8859-15", "a4", "€"],
  ["latin1", "e9", "é"],
  ["ibm866", "8fe0a8a2a5e2", "Привет"]
] as ReadonlyArray<readonly [label: string, hex: string, text: string]>

const ofHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0))
const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const utf16 = (text: string, big: boolean): Uint8Array => {
  const bytes = new Uint8Array(Buffer.from(text, "utf16le"))
  return big ? new Uint8Array(Buffer.from(bytes).swap16()) : bytes
}

describe("the encoding of a page", () => {
  for (const [label, hex, text] of known)
    test(`${label} is read from the header, a meta element in either form, or an XML declaration`, () => {
      const bytes = ofHex(hex)
      const odd = label.toUpperCase()
      const forms: ReadonlyArray<readonly [before: string, type: string]> = [
        ["", `text/plain; charset=${label}`],
        ["", `text/plain;charset="${odd}"; x=y`],
        ["", `text/html; a=b; charset='${label}'`],
        [`<html><meta charset=${label}>`, "text/html"],
        [`<html><META CHARSET = "${odd}" />`, ""],
        [`<meta http-equiv="Content-Type" content="text/html; charset=${label}">`, "text/html"],
        [`<meta content='text/html;charset=${label}' http-equiv=content-type>`, "text/html"],
        [`<?xml version="1.0" encoding="${label}"?><a>`, "application/xml"],
        [`<?xml version='1.0' encoding='${label}' ?><html>`, "application/xhtml+xml"],
        [`<html><head>${" ".repeat(2000)}<meta charset="${label}">`, "text/html"],
        [
          `<!-- <meta charset="utf-16"> --><script>"<meta charset=koi8-u>"</script><meta charset=${label}>`,
          "text/html"
        ]
      ]
      for (const [before, type] of forms)
        expect([before, type, PageCharset.decode(join(ascii(before), bytes), type)]).toEqual([
          before,
          type,
          before + text
        ])
    })

  test("is that of a byte order mark before all else, and the mark is not shown", () => {
    for (const type of ["", "text/plain; charset=gbk", "text/html", "application/json"]) {
      const text = '"é 汉 🚀"'
      for (const bytes of [
        join(ofHex("efbbbf"), utf8(text)),
        join(ofHex("fffe"), utf16(text, false)),
        join(ofHex("feff"), utf16(text, true))
      ])
        expect([type, PageCharset.decode(bytes, type)]).toEqual([type, text])
    }
  })

  test("is UTF-16 without a mark where the header says so, or Western letters show it", () => {
    const text = "<html>plain words</html>"
    for (const big of [false, true]) {
      const bytes = utf16(text, big)
      const label = big ? "utf-16be" : "utf-16"
      expect(PageCharset.decode(bytes, `text/html; charset=${label}`)).toBe(text)
      expect(PageCharset.decode(bytes, "text/html")).toBe(text)
      expect([PageCharset.isWide(bytes, ""), PageCharset.isWide(utf8(text), "")]).toEqual([true, false])
    }
    expect(PageCharset.isWide(new Uint8Array(64), "")).toBe(false)
  })

  test("is the header's where the page says something else", () => {
    const page = join(ascii("<meta charset=big5>"), ofHex("babad7d6"))
    expect(PageCharset.decode(page, "text/html; charset=gbk")).toEndWith("汉字")
  })

  test("is the next that is known where a label is not, and UTF-8 or windows-1252 where nothing is", () => {
    for (const label of ["none-such", "utf-7", "hz-gb-2312", "", "replacement", "0", "汉"])
      for (const type of [`text/html; charset=${label}`, "text/html"]) {
        const before = `<meta charset="${type === "text/html" ? "nope" : "x"}"><p>`
        expect(PageCharset.decode(join(ascii(before), utf8("é汉")), type)).toBe(`${before}é汉`)
        expect(PageCharset.decode(join(ascii(before), ofHex("93e980")), type)).toBe(`${before}“é€`)
      }
    expect(
      PageCharset.decode(
        join(ascii("<meta charset=koi8-x><meta charset=gbk>"), ofHex("babad7d6")),
        "text/html"
      )
    ).toEndWith("汉字")
  })

  test("a meta element that was readable is not in UTF-16 whatever it says", () => {
    const page = join(ascii('<meta charset="utf-16">'), utf8("é"))
    expect(PageCharset.decode(page, "text/html")).toEndWith("é")
  })

  test("of JSON is UTF-8 whatever the header says, as long as it can be", () => {
    expect(PageCharset.decode(utf8('"é"'), "application/json; charset=latin1")).toBe('"é"')
    expect(PageCharset.decode(ofHex("22e922"), "application/problem+json; charset=latin1")).toBe('"é"')
    expect(PageCharset.decode(ofHex("22e922"), "application/json")).toBe('"é"')
  })

  test("other text does not speak of its encoding as pages do", () => {
    const text = '<meta charset="gbk">é'
    expect(PageCharset.decode(utf8(text), "text/plain")).toBe(text)
    expect(PageCharset.decode(join(ascii('@charset "gbk";'), ofHex("babad7d6")), "text/css")).toEndWith(
      "汉字"
    )
  })

  test("is found for any bytes and any header, in bounded time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 60 }), (bytes, header) => {
        expect(typeof PageCharset.decode(bytes, `text/html; charset=${header}`)).toBe("string")
        expect(typeof PageCharset.decode(bytes, header)).toBe("string")
      })
    )
    const began = performance.now()
    for (const piece of ["<!--", "<script", "<meta ", '<meta "', "<meta a='", "<?xml ", "charset="])
      PageCharset.decode(ascii(piece.repeat(200_000)), "text/html")
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
