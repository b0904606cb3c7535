/**
 * What a tool call ends with: exactly one of Ok, Failed, Timeout, Denied, Cancelled.
 *
 * Cutting an over-long result is the agent's, when it becomes a message part.
 */
import * as Schema from "effect/Schema"
import { ImagePart, TextPart, type ToolStatus, text } from "./Message.ts"

export const ToolContent = Schema.Union([TextPart, ImagePart])
export type ToolContent = typeof ToolContent.Type

interface Body {
  /** What the model gets, in order. */
  readonly content: ReadonlyArray<ToolContent>
}

export type ToolResult =
  | (Body & {
      readonly _tag: "Ok"
      /** Machine-readable form of the same, where the tool has one. */
      readonly structured?: Schema.Json
      /** What people are shown in place of the content; never sent to the model. */
      readonly display?: string
    })
  | (Body & { readonly _tag: "Failed"; readonly structured?: Schema.Json })
  /** The call outlived its limit; its outcome is unknown. */
  | (Body & { readonly _tag: "Timeout" })
  /** Refused by the gate or by a person; nothing ran. */
  | (Body & { readonly _tag: "Denied"; readonly structured?: Schema.Json })
  | (Body & { readonly _tag: "Cancelled" })

export const ok = (
  value: string | ReadonlyArray<ToolContent>,
  more: { readonly structured?: Schema.Json; readonly display?: string } = {}
): ToolResult => ({
  _tag: "Ok",
  content: typeof value === "string" ? [text(value)] : value,
  ...more
})

export const failed = (message: string, more: { readonly structured?: Schema.Json } = {}): ToolResult => ({
  _tag: "Failed",
  content: [text(message)],
  ...more
})

export const timeout = (message: string): ToolResult => ({ _tag: "Timeout", content: [text(message)] })

/** A refusal as the model sees it: `{"status":"denied","reason":…}`, with what to do instead where that helps. */
export const denied = (reason: string, detail?: string): ToolResult => {
  const body = { status: "denied", reason, ...(detail === undefined ? {} : { detail }) }
  return { _tag: "Denied", content: [text(JSON.stringify(body))], structured: body }
}

export const cancelled = (message = "Cancelled by the user."): ToolResult => ({
  _tag: "Cancelled",
  content: [text(message)]
})

/** The result of a tool that gives a plain value: text as it is, anything else as its JSON. */
export const fromValue = (value: Schema.Json): ToolResult => {
  if (typeof value === "string") return ok(value)
  return ok(JSON.stringify(value), value !== null && typeof value === "object" ? { structured: value } : {})
}

const statuses = {
  Ok: "ok",
  Failed: "error",
  Timeout: "timeout",
  Denied: "denied",
  Cancelled: "cancelled"
} as const

export const statusOf = (result: ToolResult): ToolStatus => statuses[result._tag]

/** The text parts, joined by a newline. */
export const textOf = (result: ToolResult): string =>
  result.content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n")
