import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as ContentBlock from "../../src/server/ContentBlock.ts"

const text = (value: string) => ({ type: "text" as const, text: value })
const base64 = (value: string) => Buffer.from(value).toString("base64")
const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text>牛🐄</text></svg>'
const png = "iVBORw0KGgoAAAANSUhEUg=="
const jpeg = "/9j/4AAQSkZJRg=="

describe("an image", () => {
  for (const [what, block, mediaType, data] of [
    ["of a type that models take", { mimeType: "image/png", data: png }, "image/png", png],
    ["of a type with a parameter", { mimeType: "Image/PNG; q=1", data: png }, "image/png", png],
    ["called jpg", { mimeType: "image/jpg", data: jpeg }, "image/jpeg", jpeg],
    ["that is called by another type than it has", { mimeType: "image/png", data: jpeg }, "image/jpeg", jpeg],
    ["without a type, that is one", { data: png }, "image/png", png],
    ["as a data address", { data: `data:image/png;base64,${png}` }, "image/png", png],
    [
      "with line ends in its base64",
      { mimeType: "image/png", data: "iVBORw0K\r\nGgoAAAANSUhEUg==\n" },
      "image/png",
      png
    ],
    [
      "in the alphabet of addresses, unpadded",
      { mimeType: "image/gif", data: "R0lGODlh-_8" },
      "image/gif",
      "R0lGODlh+/8="
    ]
  ] as const)
    test(`${what} is given as one`, () => {
      expect(ContentBlock.decode({ type: "image", ...block })).toEqual({ type: "image", mediaType, data })
    })

  for (const [what, data] of [
    ["as base64", base64(drawing)],
    ["as it is", drawing]
  ] as const)
    test(`that is a drawing, ${what}, is given as its text`, () => {
      expect(ContentBlock.decode({ type: "image", mimeType: "image/svg+xml", data })).toEqual(
        text(`[image image/svg+xml, as its text]\n${drawing}`)
      )
    })

  for (const [block, told] of [
    [{ mimeType: "image/png" }, "[image image/png, without its bytes]"],
    [{ mimeType: "image/png", data: "" }, "[image image/png, without its bytes]"],
    [{ mimeType: "image/png", data: null }, "[image image/png, without its bytes]"],
    [{ mimeType: "image/png", data: "%%%" }, "[image image/png, its bytes are no base64]"],
    [{ mimeType: "image/png", data: "AAAAA" }, "[image image/png, its bytes are no base64]"],
    [{ mimeType: "image/png", data: [1, 2] }, "[image image/png, its bytes are no base64]"],
    [{ mimeType: "image/tiff", data: "AAAA" }, "[image image/tiff, 3 bytes]"],
    [{ mimeType: "image/svg+xml", data: "//79" }, "[image image/svg+xml, 3 bytes]"],
    [{ data: "AAAA" }, "[image, 3 bytes]"],
    [{}, "[image, without its bytes]"]
  ] as const)
    test(`like ${JSON.stringify(block)} is told of in words`, () => {
      expect(ContentBlock.decode({ type: "image", ...block })).toEqual(text(told))
    })
})

for (const [block, told] of [
  [{ type: "audio", mimeType: "audio/wav" }, "[audio audio/wav, without its bytes]"],
  [{ type: "audio", data: "?" }, "[audio, its bytes are no base64]"],
  [
    {
      type: "resource_link",
      uri: "file:///x",
      name: "x",
      mimeType: "text/plain",
      description: " what it is "
    },
    "x: file:///x (text/plain): what it is"
  ],
  [{ type: "resource_link" }, "[a resource link without name and address]"],
  [
    { type: "resource", resource: { uri: "u", mimeType: "image/png" } },
    "[resource u image/png, without its bytes]"
  ],
  [{ type: "resource", resource: { uri: "u", text: "" } }, ""],
  [{ type: "resource" }, "[a resource without content]"],
  [{ type: "text" }, "[a text that is none: null]"],
  [{ type: "text", text: 7 }, "[a text that is none: 7]"],
  ["plain", "plain"],
  [7, "[a content block that is no object: 7]"],
  [{ text: "x" }, "[a content block of the unknown type null]"]
] as const)
  test(`the block ${JSON.stringify(block)} is ${JSON.stringify(told)}`, () => {
    expect(ContentBlock.decode(block)).toEqual(text(told))
  })

test("bytes never become text, and every block says something", () => {
  const data = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="
  const blocks = fc.record({
    type: fc.constantFrom("image", "audio", "resource"),
    mimeType: fc.constantFrom("image/png", "image/x-odd", "audio/wav", "", "application/pdf")
  })
  fc.assert(
    fc.property(blocks, ({ mimeType, type }) => {
      const block =
        type === "resource"
          ? { type, resource: { uri: "u", blob: data, mimeType } }
          : { type, mimeType, data }
      const part = ContentBlock.decode(block)
      expect(part.type === "image" || (part.text !== "" && !part.text.includes(data))).toBe(true)
    })
  )
})
