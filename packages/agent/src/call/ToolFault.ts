/** What the model is told when a call cannot run, or ended in a way its tool did not foresee. Pure. */
import { type Message, type Tool, ToolResult } from "@cow/core"
import * as Duration from "effect/Duration"
import type * as ToolArguments from "./ToolArguments.ts"

export const unknown = (name: string, offered: ReadonlyArray<string>): ToolResult.ToolResult => {
  const near = offered.find((one) => one.toLowerCase() === name.toLowerCase())
  const hint = near === undefined ? "" : ` Did you mean "${near}"? Names are case-sensitive.`
  const names =
    offered.length === 0 ? "There are no tools in this step." : `The tools are: ${offered.join(", ")}.`
  return ToolResult.failed(`There is no tool "${name}".${hint} ${names}`)
}

/** Tools whose argument text grows with what they write. */
const writes = new Set(["write", "edit"])

export const unreadable = (
  tool: Tool.Tool,
  fault: Exclude<ToolArguments.Arguments, { readonly _tag: "Read" }>
): ToolResult.ToolResult => {
  if (fault._tag === "Invalid") return ToolResult.failed(`${tool.name} was not run. ${fault.reason}`)
  const split = writes.has(tool.name) ? " Split the text into several smaller calls." : ""
  return ToolResult.failed(
    `${tool.name} was not run: the output limit cut its arguments off. Send less in one call.${split}`
  )
}

const requiredOf = (tool: Tool.Tool): ReadonlyArray<string> => {
  const required = tool.inputSchema.required
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : []
}

export const misfit = (
  tool: Tool.Tool,
  input: Message.JsonObject,
  faults: ReadonlyArray<string>
): ToolResult.ToolResult => {
  const required = requiredOf(tool)
  if (Object.keys(input).length === 0 && required.length > 0)
    return ToolResult.failed(
      `${tool.name} was called with no arguments at all; it needs: ${required.join(", ")}.`
    )
  return ToolResult.failed(
    `${tool.name} was not run; its arguments do not fit: ${faults.slice(0, 10).join("; ")}.`
  )
}

export const timedOut = (tool: Tool.Tool, limit: Duration.Duration): ToolResult.ToolResult =>
  ToolResult.timeout(`${tool.name} timed out after ${Duration.toSeconds(limit)}s; its outcome is unknown.`)

/** A tool that threw: its own words reach the model, not its stack. */
export const crashed = (tool: Tool.Tool, message: string): ToolResult.ToolResult =>
  ToolResult.failed(`${tool.name} failed: ${message}`)

export const interrupted = (tool: Tool.Tool): ToolResult.ToolResult =>
  ToolResult.cancelled(`${tool.name} interrupted itself before it was done; its outcome is unknown.`)

/** A check that failed denies: nobody knows what it would have said. */
export const unchecked = (tool: string, why: string): ToolResult.ToolResult =>
  ToolResult.denied("check_failed", `whether ${tool} may run could not be decided: the check ${why}`)
