/**
 * A chat: messages of one session worked off one after the other, while lines may steer, cancel, approve or deny
 * what runs. What a line asks for is `ChatLine`; who waits for an answer is `ChatApprover`.
 */
import { Agent, type RunOutcome } from "@cow/agent"
import { Events } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import type { RunSetup } from "../run/RunSetup.ts"
import * as SessionWait from "../run/SessionWait.ts"
import type { Output } from "../terminal/Output.ts"
import { PendingAnswers } from "./ChatApprover.ts"
import type { ChatLine } from "./ChatLine.ts"

/** What a line could not do, for the one who sent it. */
export interface Complaint {
  readonly code: "bad_line" | "steer_refused" | "nothing_runs" | "nothing_waits" | "run_refused"
  readonly message: string
}

export interface ChatSession {
  readonly take: (line: ChatLine) => Effect.Effect<void>
  /** No more lines: waits for the last run and gives the outcome of the last one that ended by itself. */
  readonly finish: Effect.Effect<RunOutcome | undefined>
  readonly isIdle: Effect.Effect<boolean>
}

interface Options {
  readonly complain: (complaint: Complaint) => Effect.Effect<void>
  /** After each run. */
  readonly onIdle: Effect.Effect<void>
  /** For a session that another process works on. */
  readonly wait: boolean
}

type Run = Effect.Success<ReturnType<typeof fork>>

const fork = (agent: Agent["Service"], setup: RunSetup, prompt: string, wait: boolean) =>
  Effect.forkChild(SessionWait.untilFree(wait, agent.run({ ...setup, prompt })))

interface Item {
  readonly prompt: string
  /** Known once its first event is out: a run that is cancelled before could not tell its end. */
  readonly run: Deferred.Deferred<Run>
}

const steerRefusals = {
  inactive: "no run works on this session",
  invalid: "the text is empty or too long",
  full: "too many texts wait already",
  closing: "the run is at its end"
} as const

export const make = (
  setup: RunSetup,
  { complain, onIdle, wait }: Options
): Effect.Effect<ChatSession, never, Agent | Events | Output | PendingAnswers | Scope> =>
  Effect.gen(function* () {
    const agent = yield* Agent
    const answers = yield* PendingAnswers
    const events = yield* Events
    const queue = yield* Queue.unbounded<Item, "ended">()
    /** Those that have not ended; the first is the one that runs. */
    const open: Array<Item> = []
    let sessionId = setup.sessionId
    let current: Run | undefined
    let last: RunOutcome | undefined

    const begun = Effect.suspend(() => {
      const [item] = open
      return item === undefined || current === undefined ? Effect.void : Deferred.succeed(item.run, current)
    })
    yield* events.addSink(
      (_, event) =>
        Effect.suspend(() => {
          if (event.type === "run_started") sessionId = event.session_id
          return begun
        }),
      { patient: true }
    )

    const work = Effect.fnUntraced(function* (item: Item) {
      const continued = sessionId === undefined ? setup : { ...setup, sessionId }
      const fiber = yield* fork(agent, continued, item.prompt, wait)
      current = fiber
      const exit = yield* Effect.ensuring(Fiber.await(fiber), Fiber.interrupt(fiber))
      yield* begun
      current = undefined
      open.shift()
      if (Exit.isSuccess(exit)) last = exit.value
      else
        for (const reason of exit.cause.reasons)
          if (reason._tag === "Fail") yield* complain({ code: "run_refused", message: refusal(reason.error) })
      if (open.length === 0) yield* onIdle
    })
    const worker = yield* Queue.take(queue).pipe(
      Effect.flatMap(work),
      Effect.forever,
      Effect.catch(() => Effect.void),
      Effect.forkScoped
    )

    const answer = Effect.fnUntraced(function* (
      callId: string | undefined,
      given: Parameters<typeof answers.answer>[1]
    ) {
      if (yield* answers.answer(callId, given)) return
      const what = callId === undefined ? "no call waits" : `no call ${callId} waits`
      yield* complain({ code: "nothing_waits", message: `${what} for an approval` })
    })

    const take = Effect.fnUntraced(function* (line: ChatLine) {
      switch (line._tag) {
        case "User": {
          const item = { prompt: line.text, run: Deferred.makeUnsafe<Run>() }
          open.push(item)
          return void (yield* Queue.offer(queue, item))
        }
        case "Steer": {
          const outcome = sessionId === undefined ? "inactive" : yield* agent.steer(sessionId, line.text)
          if (outcome !== "accepted")
            yield* complain({ code: "steer_refused", message: `not taken: ${steerRefusals[outcome]}` })
          return
        }
        case "Cancel": {
          const [item] = open
          if (item === undefined) return yield* complain({ code: "nothing_runs", message: "nothing runs" })
          return yield* Effect.flatMap(Deferred.await(item.run), Fiber.interrupt)
        }
        case "Approve":
          return yield* answer(line.callId, { _tag: "Approved" })
        case "Deny":
          return yield* answer(line.callId, {
            _tag: "Refused",
            ...(line.reason === undefined ? {} : { reason: line.reason })
          })
        case "Wrong":
          return yield* complain({ code: "bad_line", message: line.message })
        default:
          return
      }
    })

    const finish = Effect.gen(function* () {
      yield* answers.close
      yield* Queue.fail(queue, "ended")
      yield* Fiber.await(worker)
      return last
    })
    return { take, finish, isIdle: Effect.sync(() => open.length === 0) }
  })

const refusal = (error: Effect.Error<ReturnType<Agent["Service"]["run"]>>): string => {
  switch (error._tag) {
    case "SessionBusy":
      return `${error.message}; --wait waits until it is free`
    case "SessionWaiting":
      return `session ${error.sessionId} waits for an approval: cow approve ${error.runId} or cow deny ${error.runId}`
    default:
      return error.message
  }
}
