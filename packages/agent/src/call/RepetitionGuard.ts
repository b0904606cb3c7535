/**
 * Stops a model that does the same thing over and over. Pure: a state, a verdict before a call, the next state
 * after it. Only the latest tool is counted: another one in between starts anew.
 *
 * Same arguments and the same good result: 5 runs. Same arguments, failing: 3. Any arguments, failing: 6, then two
 * refusals, then the run ends. A call that timed out is never sent again with the same arguments. Denied calls are
 * not counted. Replies in a row whose calls the output limit cut off: 4, then the run ends, whatever else was in them.
 */
import { CanonicalJson, type Message, ToolResult } from "@cow/core"

export interface GuardState {
  readonly tool: string
  readonly key: string
  readonly lastResult: string
  /** Good calls in a row with the same arguments and the same result. */
  readonly sameOk: number
  /** Failures in a row with the same arguments. */
  readonly sameFailed: number
  /** Failures in a row, whatever the arguments; refusals count. */
  readonly failed: number
  /** Keys of calls that timed out in this run. */
  readonly timedOut: ReadonlySet<string>
  /** Replies in a row with a call that was cut off. */
  readonly cutReplies: number
}

export const initial: GuardState = {
  tool: "",
  key: "",
  lastResult: "",
  sameOk: 0,
  sameFailed: 0,
  failed: 0,
  timedOut: new Set(),
  cutReplies: 0
}

export type Verdict =
  | { readonly _tag: "Run" }
  | { readonly _tag: "Refuse"; readonly message: string }
  /** The run ends: every way was tried. */
  | { readonly _tag: "End"; readonly message: string }

const maxSameOk = 5
const maxSameFailed = 3
const maxFailed = 6
const endsAt = 8
const maxCutReplies = 4

const keyOf = (tool: string, input: Message.JsonObject): string => `${tool} ${CanonicalJson.stringify(input)}`

export const verdict = (state: GuardState, tool: string, input: Message.JsonObject): Verdict => {
  const key = keyOf(tool, input)
  if (state.timedOut.has(key))
    return refuse(
      `an earlier call of ${tool} with these arguments timed out, and its outcome is unknown; it is not sent again`
    )
  if (tool !== state.tool) return { _tag: "Run" }
  if (state.failed >= endsAt) return { _tag: "End", message: `${tool} failed ${state.failed} times in a row` }
  if (state.failed >= maxFailed)
    return refuse(`${tool} failed ${maxFailed} times in a row; try another way or say what is wrong`)
  if (key !== state.key) return { _tag: "Run" }
  if (state.sameFailed >= maxSameFailed)
    return refuse(
      `${tool} failed ${maxSameFailed} times with exactly these arguments; change them or try another way`
    )
  if (state.sameOk >= maxSameOk)
    return refuse(
      `${tool} gave the same result ${maxSameOk} times for exactly these arguments; use it and go on`
    )
  return { _tag: "Run" }
}

/** After a reply with calls. */
export const reply = (state: GuardState, cutOff: boolean): GuardState =>
  cutOff || state.cutReplies > 0 ? { ...state, cutReplies: cutOff ? state.cutReplies + 1 : 0 } : state

/** Why the run ends after this reply; undefined when it goes on. */
export const afterReply = ({ cutReplies }: GuardState): string | undefined =>
  cutReplies < maxCutReplies
    ? undefined
    : `the output limit cut the calls of ${cutReplies} replies in a row off; ask for less at a time, or for a higher limit`

const refuse = (message: string): Verdict => ({ _tag: "Refuse", message: `Not run: ${message}.` })

/** After a call that ran or could not, or that was refused by `verdict` (`refused` true). */
export const record = (
  state: GuardState,
  tool: string,
  input: Message.JsonObject,
  result: ToolResult.ToolResult,
  refused = false
): GuardState => {
  if (result._tag === "Denied" || result._tag === "Cancelled") return state
  const key = keyOf(tool, input)
  const timedOut = result._tag === "Timeout" ? new Set(state.timedOut).add(key) : state.timedOut
  const sameTool = tool === state.tool
  const sameKey = key === state.key
  if (result._tag === "Ok") {
    const text = ToolResult.textOf(result)
    const sameOk = sameKey && (state.sameOk === 0 || text === state.lastResult) ? state.sameOk + 1 : 1
    return { ...state, tool, key, lastResult: text, sameOk, sameFailed: 0, failed: 0, timedOut }
  }
  // Refusals of a repeated good result are no failures of the tool.
  if (refused && sameTool && state.failed === 0) return { ...state, timedOut }
  return {
    ...state,
    tool,
    key,
    lastResult: "",
    sameOk: 0,
    sameFailed: (sameKey ? state.sameFailed : 0) + 1,
    failed: (sameTool ? state.failed : 0) + 1,
    timedOut
  }
}
