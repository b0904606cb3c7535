/**
 * What a tool gave, taken as a result only if it is one: a type says nothing about a plugin's code. Pure.
 *
 * A result is rebuilt from its own fields, so that what comes after meets plain values: no getters, no cycles.
 */
import { Guest, ToolResult } from "@cow/core"
import * as Result from "effect/Result"

const tags = new Set<unknown>(["Ok", "Failed", "Timeout", "Denied", "Cancelled"])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

/** A value by its kind, for a sentence. */
const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : kindOf(value))

const part = (value: unknown, at: number): Result.Result<ToolResult.ToolContent, string> => {
  const which = `part ${at + 1} of its content`
  if (!isObject(value)) return Result.fail(`${which} is ${kindOf(value)}`)
  if (value.type === "text")
    return typeof value.text === "string"
      ? Result.succeed({ type: "text", text: value.text })
      : Result.fail(`${which} is a text of ${kindOf(value.text)}`)
  if (value.type === "image") {
    const { data, mediaType } = value
    return typeof data === "string" && typeof mediaType === "string"
      ? Result.succeed({ type: "image", mediaType, data })
      : Result.fail(`${which} is an image without data or mediaType`)
  }
  return Result.fail(`${which} is of the unknown type ${shown(value.type)}`)
}

/** As JSON holds it; undefined where there is none. */
const structured = (value: unknown): Result.Result<object, string> => {
  if (value === undefined) return Result.succeed({})
  try {
    const text = JSON.stringify(value)
    return text === undefined
      ? Result.fail(`its structured part is ${kindOf(value)}, which JSON cannot hold`)
      : Result.succeed({ structured: JSON.parse(text) })
  } catch (cause) {
    const [why] = Guest.messageOf(cause).split("\n")
    return Result.fail(`its structured part cannot be written as JSON: ${why}`)
  }
}

const rebuilt = (value: unknown): Result.Result<ToolResult.ToolResult, string> => {
  if (!isObject(value) || Array.isArray(value)) return Result.fail(`it gave ${kindOf(value)}`)
  const { _tag, content, display } = value
  if (!tags.has(_tag)) return Result.fail(`its _tag is ${shown(_tag)}`)
  if (!Array.isArray(content)) return Result.fail(`its content is ${kindOf(content)}, not a list`)
  const parts: Array<ToolResult.ToolContent> = []
  for (let at = 0; at < content.length; at++) {
    const read = part(content[at], at)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    parts.push(read.success)
  }
  const more = structured(value.structured)
  if (Result.isFailure(more)) return Result.fail(more.failure)
  const said = typeof display === "string" ? { display } : {}
  return Result.succeed({ _tag, content: parts, ...more.success, ...said } as ToolResult.ToolResult)
}

/** The result, or an error that names the tool and says what is wrong with what it gave. */
export const read = (tool: string, value: unknown): ToolResult.ToolResult => {
  const fault = (why: string) => ToolResult.failed(`${tool} gave no result that can be used: ${why}.`)
  try {
    return Result.getOrElse(rebuilt(value), fault)
  } catch (cause) {
    return fault(`reading it threw: ${Guest.messageOf(cause)}`)
  }
}
