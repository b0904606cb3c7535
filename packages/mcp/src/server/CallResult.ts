/**
 * A server's answer to `tools/call` as the result of a tool. Pure. What was an error stays one, and what was not is not
 * guessed to be one. Its blocks, one by one, are `ContentBlock`.
 */
import { Message as Messages, ToolResult } from "@cow/core"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"
import * as ContentBlock from "./ContentBlock.ts"

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
  const parts = (blocks ?? []).map(ContentBlock.decode)
  const images = ContentBlock.picturesIn(blocks ?? [])
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
