import { describe, expect, test } from "bun:test"
import { ToolResult } from "@cow/core"
import * as CallResult from "../../src/server/CallResult.ts"

const text = (value: string) => ({ type: "text", text: value })

describe("a call's result", () => {
  test("that is an error keeps all its texts", () => {
    const result = CallResult.decode({ isError: true, content: [text("it broke"), text("second block")] })
    expect(result._tag).toBe("Failed")
    expect(ToolResult.textOf(result)).toBe("it broke\nsecond block")
  })

  test("keeps text and images in order", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" }
    expect(CallResult.decode({ content: [text("a"), image, text("b")] })).toEqual({
      _tag: "Ok",
      content: [
        { type: "text", text: "a" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
        { type: "text", text: "b" }
      ]
    })
  })

  test("of structured content alone is its JSON, and not twice beside a text", () => {
    expect(CallResult.decode({ content: [], structuredContent: { n: 7 } })).toEqual({
      _tag: "Ok",
      content: [{ type: "text", text: '{"n":7}' }],
      structured: { n: 7 }
    })
    expect(CallResult.decode({ content: [text('{"n":7}')], structuredContent: { n: 7 } })).toEqual({
      _tag: "Ok",
      content: [{ type: "text", text: '{"n":7}' }],
      structured: { n: 7 }
    })
  })

  test("names links and resources, and tells type and size of what is no text", () => {
    const result = CallResult.decode({
      content: [
        { type: "resource_link", name: "n", uri: "file:///x" },
        { type: "resource", resource: { uri: "u", text: "inner" } },
        { type: "resource", resource: { uri: "u", mimeType: "application/pdf", blob: "AAAAAA==" } },
        { type: "audio", mimeType: "audio/wav", data: "AAAA" },
        { type: "hologram", data: "AAAA" }
      ]
    })
    expect(result.content.map((part) => (part.type === "text" ? part.text : ""))).toEqual([
      "n: file:///x",
      "inner",
      "[resource u application/pdf, 4 bytes]",
      "[audio audio/wav, 3 bytes]",
      '[a content block of the unknown type "hologram"]'
    ])
  })

  test("without content is an empty text", () => {
    expect(CallResult.decode({ content: [] })).toEqual(ToolResult.ok(""))
  })

  test("with a text that says Error is no error", () => {
    expect(CallResult.decode({ content: [text("Error: x")], isError: false })).toEqual(
      ToolResult.ok("Error: x")
    )
  })

  test("never repeats an image's base64 in its structured form", () => {
    const data = "iVBORw0KGgo".repeat(10)
    const result = CallResult.decode({
      content: [{ type: "image", data, mimeType: "image/png" }],
      structuredContent: { result: [{ data: `data:image/png;base64,${data}`, kind: "png" }] }
    })
    expect(result).toMatchObject({
      structured: { result: [{ data: "[image, see the content]", kind: "png" }] }
    })
  })

  test("that is none is a failure", () => {
    for (const raw of [null, 7, {}, { content: "x" }]) expect(CallResult.decode(raw)._tag).toBe("Failed")
  })

  test("of a call that timed out has exactly the agreed text", () => {
    expect(CallResult.timedOut(20)).toEqual(
      ToolResult.timeout('{"status":"timeout","error":"MCP tool timed out after 20s"}')
    )
    expect(ToolResult.textOf(CallResult.timedOut(0.5))).toBe(
      '{"status":"timeout","error":"MCP tool timed out after 0.5s"}'
    )
  })
})
