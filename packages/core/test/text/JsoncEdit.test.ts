import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import { JsoncEdit } from "../../src/index.ts"

describe("JsoncEdit", () => {
  test("setting a key changes its value alone and keeps comments", () => {
    const before = '// mine\n{\n  "model": "a/b", // the model\n  "plugins": []\n}\n'
    expect(Result.getOrThrow(JsoncEdit.set(before, "model", "c/d"))).toBe(before.replace("a/b", "c/d"))
    expect(Result.getOrThrow(JsoncEdit.set("", "model", "a/b"))).toBe('{\n  "model": "a/b"\n}\n')
  })

  test("a new key stands before the others, whose comments stay with them", () => {
    const set = (text: string) => Result.getOrThrow(JsoncEdit.set(text, "key", { a: [1] }))
    expect(set('{\n  "b": 1 // about b\n}\n')).toBe(
      '{\n  "key": {\n    "a": [\n      1\n    ]\n  },\n  "b": 1 // about b\n}\n'
    )
    expect(set('{\r\n\t"b": 1,\r\n}\r\n')).toBe(
      '{\r\n\t"key": {\r\n\t\t"a": [\r\n\t\t\t1\r\n\t\t]\r\n\t},\r\n\t"b": 1,\r\n}\r\n'
    )
    expect(set("// nothing yet\n")).toStartWith('// nothing yet\n{\n  "key": {')
    expect(set('\uFEFF{"b": 1}')).toStartWith("\uFEFF{")
  })

  test("of a key that stands twice the one that counts is set", () => {
    expect(Result.getOrThrow(JsoncEdit.set('{"a": 1, "a": 2}', "a", 3))).toBe('{"a": 1, "a": 3}')
  })

  test("a text that cannot be read, or holds no object, is not touched", () => {
    expect(Result.isFailure(JsoncEdit.set('{"a": ', "b", 1))).toBe(true)
    expect(Result.isFailure(JsoncEdit.set("[1]", "b", 1))).toBe(true)
  })

  test("after setting a key it has that value and the others have theirs", () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
    fc.assert(
      fc.property(record, fc.string(), fc.jsonValue(), (object, key, value) => {
        const text = Result.getOrThrow(JsoncEdit.set(JSON.stringify(object, null, 2), key, value as never))
        const wanted = new Map([...Object.entries(object), [key, value]])
        expect(new Map(Object.entries(JSON.parse(text)))).toEqual(
          new Map([...wanted].map(([name, one]) => [name, JSON.parse(JSON.stringify(one))]))
        )
      })
    )
  })
})
