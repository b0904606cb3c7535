import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parse, parseTyped } from "../../src/chat/ChatLine.ts"

describe("ChatLine", () => {
  test("a line that does not begin with a brace is a message as it stands", () => {
    for (const text of ["hello", "[1]", "/etc/passwd is what?", "  indented", '"quoted"'])
      expect(parse(text)).toEqual({ _tag: "User", text })
  })

  test("a line that begins with a brace and is no known message is told, never run", () => {
    for (const text of ["{ not json", '{"type":"user","text":"cut off', '  {"a": 1}', '{"type": 3}', "{}"])
      expect(parse(text)).toMatchObject({ _tag: "Wrong", message: expect.stringContaining("begins with {") })
    expect(parseTyped("{ a set }")).toEqual({ _tag: "User", text: "{ a set }" })
  })

  test("blank lines ask for nothing", () => {
    expect(parse("  \t")).toEqual({ _tag: "Nothing" })
    expect(parseTyped("")).toEqual({ _tag: "Nothing" })
  })

  test("the text of a message stands under text, content or message", () => {
    for (const key of ["text", "content", "message"]) {
      expect(parse(JSON.stringify({ type: "user", [key]: "hi" }))).toEqual({ _tag: "User", text: "hi" })
      expect(parse(JSON.stringify({ type: "steer", [key]: "left" }))).toEqual({ _tag: "Steer", text: "left" })
    }
  })

  test("approve and deny name the call, or the one that waits", () => {
    expect(parse('{"type":"approve","call_id":"c1"}')).toEqual({ _tag: "Approve", callId: "c1" })
    expect(parse('{"type":"deny","reason":"no"}')).toEqual({ _tag: "Deny", callId: undefined, reason: "no" })
    expect(parse('{"type":"cancel"}')).toEqual({ _tag: "Cancel" })
  })

  test("a wrong type and a message without text are told", () => {
    expect(parse('{"type":"aprove"}')).toMatchObject({
      _tag: "Wrong",
      message: expect.stringContaining("aprove")
    })
    expect(parse('{"type":"user"}')).toMatchObject({
      _tag: "Wrong",
      message: expect.stringContaining("text")
    })
  })

  test("a person's commands begin with a slash", () => {
    expect(parseTyped("/steer go left")).toEqual({ _tag: "Steer", text: "go left" })
    expect(parseTyped("/deny too risky")).toEqual({ _tag: "Deny", callId: undefined, reason: "too risky" })
    expect(parseTyped("/quit")).toEqual({ _tag: "Quit" })
    expect(parseTyped("/nope")).toMatchObject({ _tag: "Wrong" })
    expect(parseTyped("/usr/bin is a folder")).toMatchObject({ _tag: "User" })
  })

  test("no line of any kind makes it throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(parse(line)._tag).toBeString()
        expect(parseTyped(line)._tag).toBeString()
      })
    )
  })
})
