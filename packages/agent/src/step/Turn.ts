/**
 * A run from its first step to its end: a match on what each step gave.
 *
 * N rounds of tool calls, then one last answer without tools. A retry after a provider error, a second try after an
 * empty reply and a shorter request after an overflow are no steps of their own.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import * as RunLedger from "../run/RunLedger.ts"
import type { RunScene } from "../run/RunScene.ts"
import * as Step from "./Step.ts"
import type * as StepRequest from "./StepRequest.ts"
import type { RunFailure, TurnEnd } from "./TurnEnd.ts"

const apology = "I am sorry, I have no answer to that. Please ask again, perhaps in other words."
const atLimit = "I reached the limit of steps before I could finish. Ask me to continue, or raise the limit."
const repeating = "I am sorry, I keep trying the same thing without success, so I stop here."
const lastAnswer =
  "[You have used all your steps. Answer now in text, from what you have; no tool can be called any more.]"
const explicit = "[Your last reply was empty. Answer the user now, or call a tool.]"

/** Tries to fit after the provider refused for length; each is smaller than the one before. */
const maxOverflows = 3

/** What the next step is asked to be. */
interface Plan {
  readonly maxTokens: number
  readonly overflows: number
  /** What the provider refused for its length, as estimated, and its words. */
  readonly refused?: { readonly tokens: number; readonly message: string }
  readonly hint?: string
}

const failureOf = (reason: string): RunFailure => (reason === "Unauthorized" ? "unauthorized" : "provider")

/** @param first the outcome of a step that was taken before, as when a waiting run goes on */
export const run = Effect.fn("Turn.run")(function* (
  scene: RunScene,
  first?: Step.StepOutcome
): Effect.fn.Return<TurnEnd, never, StepRequest.Requirements> {
  const maxTokens = yield* AgentLimits.contextTokens
  const fresh: Plan = { maxTokens, overflows: 0 }
  let plan = fresh
  let given = first
  for (;;) {
    const { toolRounds } = yield* Ref.get(scene.ledger)
    const last = toolRounds >= scene.request.maxSteps
    const hint = last ? lastAnswer : plan.hint
    const outcome =
      given ??
      (yield* Step.run(scene, {
        mayCallTools: !last,
        maxTokens: plan.maxTokens,
        again: plan !== fresh,
        ...(plan.refused === undefined ? {} : { below: plan.refused.tokens }),
        ...(hint === undefined ? {} : { hint })
      }))
    given = undefined
    switch (outcome._tag) {
      case "Called":
        plan = fresh
        continue
      case "Answered": {
        if (last) return { _tag: "Limit", text: outcome.text }
        if (yield* scene.inbox.closeIfEmpty) return { _tag: "Completed", text: outcome.text }
        const steer = yield* Step.takeSteer(scene)
        if (steer !== undefined) yield* addUserText(scene, steer)
        plan = fresh
        continue
      }
      case "Silent": {
        if (!last && toolRounds > 0 && plan.hint === undefined) {
          plan = { ...plan, hint: explicit }
          continue
        }
        const text = last ? atLimit : apology
        yield* Step.say(scene, text)
        return { _tag: last ? "Limit" : "Completed", text }
      }
      case "Overflowed": {
        const smaller = Math.floor(Math.min(plan.maxTokens, outcome.tokens) / 2)
        const sent = plan.refused === undefined || outcome.tokens < plan.refused.tokens
        const refused = sent ? outcome : (plan.refused ?? outcome)
        if (sent && plan.overflows + 1 < maxOverflows && smaller > 0) {
          plan = { ...plan, maxTokens: smaller, overflows: plan.overflows + 1, refused }
          continue
        }
        const message = `the request is too long for the model, at about ${refused.tokens} tokens, and cannot be made shorter: ${refused.message}`
        return { _tag: "Failed", failure: "context_overflow", message, text: "" }
      }
      case "Waiting":
        return outcome
      case "Repeating":
        yield* Step.say(scene, repeating)
        return { _tag: "Failed", failure: "repetition", message: outcome.message, text: repeating }
      case "Refused": {
        if (last && outcome.reason !== "Unauthorized") {
          yield* Effect.logWarning(`the last answer failed: ${outcome.message}`)
          yield* Step.say(scene, atLimit)
          return { _tag: "Limit", text: atLimit }
        }
        return { _tag: "Failed", failure: failureOf(outcome.reason), message: outcome.message, text: "" }
      }
    }
  }
})

const addUserText = Effect.fnUntraced(function* (scene: RunScene, text: string) {
  yield* Ref.update(scene.ledger, (now) =>
    RunLedger.append(now, { role: "user", parts: [{ type: "text", text }] })
  )
  yield* scene.writer.save
})
