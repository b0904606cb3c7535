import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as JsoncEdit from "../../src/settings/JsoncEdit.ts"

describe("JsoncEdit", () => {
  test("setting a key changes its value alone and keeps comments", () => {
    const before = '// mine\n{\n  "model": "a/b", // the model\n  "plugins": []\n}\n'
    expect(Result.getOrThrow(JsoncEdit.set(before, "model", "c/d"))).toBe(before.replace("a/b", "c/d"))
    expect(Result.getOrThrow(JsoncEdit.set("", "model", "a/b"))).toBe('{\n  "model": "a/b"\n}\n')
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
