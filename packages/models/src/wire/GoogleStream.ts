/** The stream of a Gemini answer. Its parts come whole, so all there is to know is whether it has said that it ends. */
import { JsonValue } from "@cow/core"
import { objectIn } from "../ReceivedText.ts"
import type { WireFold } from "./WireFold.ts"

/** Whether a finish reason was given. */
export const fold: WireFold<boolean> = {
  initial: false,
  step: (finished, data) => {
    const candidates = objectIn(data)?.candidates
    const [first] = Array.isArray(candidates) ? (candidates as ReadonlyArray<unknown>) : []
    const now = JsonValue.isObject(first) && typeof first.finishReason === "string"
    return { state: finished || now, pass: [data], ended: false }
  },
  end: (finished) => (finished ? [] : null)
}
