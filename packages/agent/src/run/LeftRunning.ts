/** What tools have running beyond their calls when a run of the session is cut short. Ending it is the tools' own. */
import { Guest, ToolManager } from "@cow/core"
import * as Effect from "effect/Effect"

const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/** A line for the model behind the marker of a cancel; "" where nothing runs. */
export const note = Effect.fn("LeftRunning.note")(function* (sessionId: string) {
  const { byName } = yield* (yield* ToolManager).snapshot
  const named = yield* Effect.forEach(byName.values(), ({ tool }) => {
    const { background } = tool
    return background === undefined
      ? Effect.succeed([])
      : Guest.orElse(`what ${tool.name} has running`, () => background(sessionId), [], areTexts)
  })
  const names = named.flat()
  return names.length === 0 ? "" : `\n[Still running in the background: ${names.join(", ")}.]`
})
