/** Log messages of all parts as lines on stderr: `cow: warning: …`. With `--verbose` the cause is printed too. */
import * as Cause from "effect/Cause"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { oneLine } from "./Printable.ts"

const words: Partial<Record<string, string>> = { Warn: "warning: ", Error: "error: ", Fatal: "error: " }

const shown = (part: unknown): string => {
  if (typeof part === "string") return part
  if (part instanceof Error) return part.message
  return JSON.stringify(part) ?? String(part)
}

/** One line of what was logged; the first failure of the cause stands at its end. */
export const line = (level: string, message: unknown, cause: Cause.Cause<unknown>): string => {
  const parts = (Array.isArray(message) ? message : [message]).map(shown)
  if (cause.reasons.length > 0 && !Cause.hasInterruptsOnly(cause)) {
    const error = Cause.squash(cause) as { readonly message?: string }
    parts.push(typeof error?.message === "string" && error.message !== "" ? error.message : shown(error))
  }
  return oneLine(`cow: ${words[level] ?? ""}${parts.join(": ")}`)
}

const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
  process.stderr.write(`${line(logLevel, message, cause)}\n`)
  if (fiber.getRef(References.MinimumLogLevel) === "Debug" && cause.reasons.length > 0)
    process.stderr.write(`${Cause.pretty(cause)}\n`)
})

export const layer: Layer.Layer<never> = Logger.layer([logger])
