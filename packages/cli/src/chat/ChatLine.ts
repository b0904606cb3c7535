/** What one line of a chat asks for. Pure. Doing it is `ChatSession`. */

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

const objectIn = (line: string): Record<string, unknown> | undefined => {
  if (!line.trimStart().startsWith("{")) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // Text that begins with a brace is text.
    return undefined
  }
}

const textOf = (object: Record<string, unknown>, ...keys: ReadonlyArray<string>): string | undefined => {
  for (const key of keys) {
    const value = object[key]
    if (typeof value === "string" && value.trim() !== "") return value
  }
  return undefined
}

const types = ["user", "steer", "cancel", "approve", "deny"]

/** A line of a program: plain text, or a JSON object with a `type`. Any other JSON is text too. */
export const parse = (line: string): ChatLine => {
  const object = objectIn(line)
  if (object === undefined || typeof object.type !== "string")
    return line.trim() === "" ? { _tag: "Nothing" } : { _tag: "User", text: line }
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
  ["/cancel", "stop the running run"],
  ["/approve", "let the waiting call run"],
  ["/deny [REASON]", "refuse the waiting call"],
  ["/quit", "end the chat"]
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
