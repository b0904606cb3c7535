/**
 * The stream of a Responses answer. It has no stop reason before its very last event, which repeats the whole answer
 * and so is the likeliest to be cut: an answer whose items are all done, the last of them a call or a message that is
 * no mere comment on what comes next, stands without it.
 */
import { JsonValue } from "@cow/core"
import { isCallable, objectIn, said } from "../ReceivedText.ts"
import type { WireFold } from "./WireFold.ts"

interface ResponsesState {
  /** `output_index` of the items that have begun and are not done. */
  readonly open: ReadonlySet<unknown>
  /** The item that was done last can be the last of the answer. */
  readonly answered: boolean
}

const canBeLast = (item: unknown): boolean => {
  if (!JsonValue.isObject(item) || (said(item.status) ?? "completed") !== "completed") return false
  if (item.type === "message") return item.phase !== "commentary"
  return item.type === "function_call" && isCallable(said(item.arguments) ?? "")
}

const finals = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"])

export const fold: WireFold<ResponsesState> = {
  initial: { open: new Set(), answered: false },
  step: (before, data) => {
    const event = objectIn(data)
    const open = new Set(before.open)
    let answered = before.answered
    if (event?.type === "response.output_item.added") {
      open.add(event.output_index)
      answered = false
    }
    if (event?.type === "response.output_item.done") {
      open.delete(event.output_index)
      answered = canBeLast(event.item)
    }
    if (event?.type === "error") answered = false
    return { state: { open, answered }, pass: [data], ended: finals.has(event?.type) }
  },
  end: ({ answered, open }) =>
    answered && open.size === 0 ? [JSON.stringify({ type: "response.completed", response: {} })] : null
}
