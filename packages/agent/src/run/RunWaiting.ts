/**
 * What a user says to a session whose run waits for an approval: nothing runs, the same question is asked again, and
 * the text is stored behind the open calls, where `RunResume` takes it up.
 */
import { type AgentEvent, Excerpt, Message, Run, RunStore, SessionBusy, SessionStore } from "@cow/core"
import * as Effect from "effect/Effect"
import * as RunEnd from "./RunEnd.ts"
import * as RunJournal from "./RunJournal.ts"

/** The run of this session that waits. */
export const find = Effect.fnUntraced(function* (sessionId: string) {
  const { items } = yield* (yield* RunStore).list({ sessionId, status: "waiting_approval", limit: 1 })
  const [waiting] = items
  return waiting?.pending === null ? undefined : waiting
})

/** How many texts wait already. */
export const pendingTexts = Effect.fnUntraced(function* (sessionId: string) {
  const last = (yield* (yield* SessionStore).messages(sessionId)).at(-1)
  return last?.role === "user" ? last.parts.filter(({ type }) => type === "text").length : 0
})

/** Keeps the text and asks again. Fails with `SessionBusy` when the run was answered meanwhile. */
export const say = Effect.fn("RunWaiting.say")(function* (run: Run.Run, text: string) {
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const { id, pending, sessionId } = run
  const kept = Effect.gen(function* () {
    const { messages, revision } = yield* sessions.load(sessionId)
    // Who answers it claims the run first and then its session, so that this write is refused if it came too late.
    const { status } = yield* runs.get(id)
    if (status !== "waiting_approval")
      return yield* new SessionBusy({ sessionId, runId: id, status, owner: null })
    const last = messages.at(-1)
    const before = last?.role === "user" ? last.parts : []
    const parts = [...before, Message.text(Excerpt.wellFormed(text))]
    const keep = last?.role === "user" ? messages.length - 1 : messages.length
    yield* sessions.write(sessionId, { revision, keep, messages: [{ role: "user", parts }] })
  })
  yield* Effect.retry(kept, { while: ({ _tag }) => _tag === "SessionConflict" }).pipe(
    Effect.catchTag("SessionConflict", Effect.die)
  )
  const { emit } = yield* RunJournal.make(id)
  if (pending !== null) {
    const call_id = pending.callId
    yield* emit({ type: "approval_requested", run_id: id, call_id, ...Run.shownOf(pending) })
  }
  return emit
})

/** A message to a session that waits: what a run of it ends with. */
export const answer = Effect.fn("RunWaiting.answer")(function* (run: Run.Run, prompt: string) {
  const emit = yield* say(run, prompt)
  const finished: AgentEvent.AgentEventOf<"run_finished"> = {
    type: "run_finished",
    run_id: run.id,
    status: "waiting_approval",
    text: "",
    steps: run.steps,
    usage: RunEnd.toUsage(run.usage),
    error: null
  }
  yield* emit(finished)
  return { finished, failure: null } satisfies RunEnd.RunOutcome
})
