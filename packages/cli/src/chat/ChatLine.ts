/** What one line of a chat asks for. Pure. Doing it is `ChatSession`. */
import { Jsonc } from "@cow/core"
import * as Result from "effect/Result"

export type ChatLine =
  | { readonly _tag: "User"; readonly text: string }
  | { readonly _tag: "Steer"; readonly text: string }
  | { readonly _tag: "Cancel" }
  /** `callId` absent: the one call that waits. */
  | { readonly _tag: "Approve"; readonly callId: string | undefined }
  | { readonly _tag: "Deny"; readonly callId: string | undefined; readonly reason: string | undefined }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Quit" }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Wrong"; readonly message: string }

/** Of a line that begins with a brace. */
const objectIn = (line: string): Result.Result<Record<string, unknown>, string> =>
  Jsonc.parseStrict(line.trim()).pipe(
    Result.map(({ value }) => value as Record<string, unknown>),
    Result.mapError(
      ({ column, message }) => `a line that begins with { must be JSON: column ${column}: ${message}`
    )
  )

const textOf = (object: Record<string, unknown>, ...keys: ReadonlyArray<string>): string | undefined => {
  for (const key of keys) {
    const value = object[key]
    if (typeof value === "string" && value.trim() !== "") return value
  }
  return undefined
}

const types = ["user", "steer", "cancel", "approve", "deny"]

/** A line of a program: plain text, or a JSON object with a `type`. What begins with a brace is never plain text. */
export const parse = (line: string): ChatLine => {
  if (line.trim() === "") return { _tag: "Nothing" }
  if (!line.trimStart().startsWith("{")) return { _tag: "User", text: line }
  const read = objectIn(line)
  if (Result.isFailure(read)) return { _tag: "Wrong", message: read.failure }
  const object = read.success
  if (typeof object.type !== "string")
    return {
      _tag: "Wrong",
      message: `a line that begins with { must have a "type"; there are ${types.join(", ")}`
    }
  const callId = textOf(object, "call_id")
  switch (object.type) {
    case "user":
    case "steer": {
      const text = textOf(object, "text", "content", "message")
      if (text === undefined) return { _tag: "Wrong", message: `a "${object.type}" line needs "text"` }
      return { _tag: object.type === "user" ? "User" : "Steer", text }
    }
    case "cancel":
      return { _tag: "Cancel" }
    case "approve":
      return { _tag: "Approve", callId }
    case "deny":
      return { _tag: "Deny", callId, reason: textOf(object, "reason") }
    default:
      return { _tag: "Wrong", message: `no line of type "${object.type}"; there are ${types.join(", ")}` }
  }
}

/** The commands of a person's chat, for `/help`. */
export const commands: ReadonlyArray<readonly [command: string, does: string]> = [
  ["/help", "this list"],
  ["/steer TEXT", "put TEXT into the running run"],
  ["/cancel", "stop the running run; so does Ctrl-C"],
  ["/approve", "let the waiting call run; while one waits, yes does the same"],
  ["/deny [REASON]", "refuse the waiting call; so does no"],
  ["/quit", "end the chat; so does Ctrl-C twice"]
]

/** A line that a person typed: text, or a command with a slash. */
export const parseTyped = (line: string): ChatLine => {
  const found = /^\s*\/([a-z]+)(?:\s+(.*))?$/.exec(line)
  if (found === null) return line.trim() === "" ? { _tag: "Nothing" } : { _tag: "User", text: line }
  const rest = found[2]?.trim() || undefined
  switch (found[1]) {
    case "help":
      return { _tag: "Help" }
    case "steer":
      return rest === undefined
        ? { _tag: "Wrong", message: "/steer needs a text" }
        : { _tag: "Steer", text: rest }
    case "cancel":
      return { _tag: "Cancel" }
    case "approve":
      return { _tag: "Approve", callId: undefined }
    case "deny":
      return { _tag: "Deny", callId: undefined, reason: rest }
    case "quit":
    case "exit":
      return { _tag: "Quit" }
    default:
      return { _tag: "Wrong", message: `no command /${found[1]}; /help lists them` }
  }
}
