/**
 * A server's answer to `tools/call` as the result of a tool. Pure. Base64 never becomes text; what was an error
 * stays one, and what was not is not guessed to be one.
 */
import type { Message } from "@cow/core"
import { Message as Messages, ToolResult } from "@cow/core"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"

const bytesOf = (base64: string): number =>
  Math.floor((base64.length * 3) / 4) - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0)

const sized = (kind: string, mediaType: unknown, data: unknown): Message.TextPart => {
  const type = typeof mediaType === "string" ? ` ${mediaType}` : ""
  return Messages.text(`[${kind}${type}, ${typeof data === "string" ? bytesOf(data) : 0} bytes]`)
}

const isImage = (mediaType: unknown, data: unknown): boolean =>
  typeof mediaType === "string" &&
  /^image\/[\w.+-]+$/.test(mediaType) &&
  typeof data === "string" &&
  data !== ""

const partOf = (block: Schema.Json): ToolResult.ToolContent => {
  if (!isObject(block)) return Messages.text("[a content block that is no object]")
  const { type, text, data, mimeType, uri, name, resource } = block
  switch (type) {
    case "text":
      return Messages.text(typeof text === "string" ? text.toWellFormed() : "")
    case "image":
      return isImage(mimeType, data)
        ? { type: "image", mediaType: String(mimeType), data: String(data) }
        : sized("image", mimeType, data)
    case "audio":
      return sized("audio", mimeType, data)
    case "resource_link":
      return Messages.text([name, uri].filter((one) => typeof one === "string" && one !== "").join(": "))
    case "resource":
      if (!isObject(resource)) return Messages.text("[a resource without content]")
      return typeof resource.text === "string"
        ? Messages.text(resource.text.toWellFormed())
        : sized(`resource ${String(resource.uri ?? "")}`, resource.mimeType, resource.blob)
    default:
      return Messages.text(`[a content block of the unknown type ${JSON.stringify(type ?? null)}]`)
  }
}

/** The value without the pictures that stand in the content already. */
const withoutImages = (value: Schema.Json, images: ReadonlyArray<string>): Schema.Json => {
  if (typeof value === "string")
    return images.some((data) => value.includes(data) || (value.length > 1000 && data.includes(value)))
      ? "[image, see the content]"
      : value
  if (Array.isArray(value)) return value.map((one) => withoutImages(one, images))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutImages(one, images)]))
}

/** Of the `result` of the answer, as it came. */
export const decode = (raw: unknown): ToolResult.ToolResult => {
  if (!isObject(raw)) return ToolResult.failed("The server's answer is no tool result.")
  const blocks = Array.isArray(raw.content) ? raw.content : undefined
  const given = raw.structuredContent ?? raw.toolResult
  if (blocks === undefined && given === undefined)
    return ToolResult.failed("The server's answer is no tool result: it has no content.")
  const parts = (blocks ?? []).map(partOf)
  const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []))
  const structured = given === undefined || given === null ? undefined : withoutImages(given, images)
  const content =
    parts.length > 0 || structured === undefined ? parts : [Messages.text(JSON.stringify(structured))]
  const body = {
    content: content.length > 0 ? content : [Messages.text("")],
    ...(structured === undefined ? {} : { structured })
  }
  return raw.isError === true ? { _tag: "Failed", ...body } : { _tag: "Ok", ...body }
}

/** The exact text of a call that outlived its budget. */
export const timedOut = (seconds: number): ToolResult.ToolResult =>
  ToolResult.timeout(JSON.stringify({ status: "timeout", error: `MCP tool timed out after ${seconds}s` }))
