/**
 * Puts what a run has done into its session, each time on top of the revision it has seen. Once somebody else has
 * written there the session is lost to this run: nothing more is written, and `lost` tells how the run ends.
 */
import { type Message, type SessionConflict, type SessionState, SessionStore } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { TurnEnd } from "../step/TurnEnd.ts"
import * as RunLedger from "./RunLedger.ts"

export interface SessionWriter {
  /** What of the ledger is not stored yet. A store that fails is tried again with the next message. */
  readonly store: Effect.Effect<void>
  /** The same; and it does not come back when the session is lost, for the run ends then. */
  readonly save: Effect.Effect<void>
  /** What stands behind calls that wait, where `RunResume` takes it up. */
  readonly storeOpenCalls: Effect.Effect<void>
  readonly lost: Deferred.Deferred<TurnEnd>
}

const lostTo = (message: string): TurnEnd => ({
  _tag: "Failed",
  failure: "session_lost",
  message,
  text: ""
})

/** How a run ends whose claim has run out. */
export const claimLost = (sessionId: string): TurnEnd =>
  lostTo(`this run was given up for dead and has lost session ${sessionId}; what it had stored stands`)

const conflict = ({ expected, found, id }: SessionConflict): TurnEnd =>
  lostTo(
    `another process has written to session ${id} (revision ${found}, not ${expected}); ` +
      "what it wrote stands, and this run's last message is not stored"
  )

const allOfThem = Number.MAX_SAFE_INTEGER

/**
 * The session as it stands now, and from now on nobody else's: a write that was prepared before is refused. To be
 * called by who has claimed it.
 */
export const takeOver = Effect.fn("SessionWriter.takeOver")(function* (sessionId: string) {
  const sessions = yield* SessionStore
  const attempt = Effect.gen(function* () {
    const state = yield* sessions.load(sessionId)
    const { revision } = state
    const next = yield* sessions.write(sessionId, { revision, keep: allOfThem, messages: [] })
    return { ...state, revision: next } satisfies SessionState
  })
  // Each conflict is somebody's last write.
  return yield* Effect.retry(attempt, { while: ({ _tag }) => _tag === "SessionConflict" }).pipe(
    Effect.catchTag("SessionConflict", Effect.die)
  )
})

export const make = Effect.fnUntraced(function* (sessionId: string, ledger: Ref.Ref<RunLedger.RunLedger>) {
  const sessions = yield* SessionStore
  const lost = yield* Deferred.make<TurnEnd>()

  /** Not cut in two: what is stored and what the ledger knows of it go together. */
  const writing = <E extends { readonly _tag: string }>(
    write: Effect.Effect<void, E | SessionConflict>
  ): Effect.Effect<void> =>
    Effect.flatMap(Deferred.isDone(lost), (gone) => (gone ? Effect.void : write)).pipe(
      Effect.catch((error): Effect.Effect<unknown> => {
        if (error._tag === "SessionConflict")
          return Deferred.succeed(lost, conflict(error as SessionConflict))
        if (error._tag === "SessionNotFound")
          return Deferred.succeed(lost, lostTo(`session ${sessionId} was deleted while a run worked on it`))
        return Effect.logWarning(`session ${sessionId} was not stored`, error)
      }),
      Effect.catchCause((cause) => Effect.logWarning(`session ${sessionId} was not stored`, cause)),
      Effect.asVoid,
      Effect.uninterruptible
    )

  const store = writing(
    Effect.gen(function* () {
      const { messages, revision, stored, storedSummary, storedTools, summary, tools } =
        yield* Ref.get(ledger)
      if (messages.length === stored && tools === storedTools && summary === storedSummary) return
      const next = yield* sessions.write(sessionId, {
        revision,
        keep: stored,
        messages: messages.slice(stored),
        ...(tools === storedTools ? {} : { tools }),
        ...(summary === storedSummary ? {} : { summary })
      })
      yield* Ref.update(ledger, (now) => ({
        ...now,
        revision: next,
        stored: messages.length,
        storedTools: tools,
        storedSummary: summary
      }))
    })
  )
  const storeOpen = writing(
    Effect.gen(function* () {
      const now = yield* Ref.get(ledger)
      const parts = RunLedger.partsSoFar(now)
      if (parts.length === 0) return
      const messages: ReadonlyArray<Message.Message> = [{ role: "user", parts }]
      const { revision } = now
      const next = yield* sessions.write(sessionId, { revision, keep: now.messages.length, messages })
      yield* Ref.update(ledger, (later) => ({ ...later, revision: next }))
    })
  )
  const halt = Effect.flatMap(Deferred.isDone(lost), (gone) => (gone ? Effect.never : Effect.void))
  const writer: SessionWriter = {
    store,
    save: Effect.andThen(store, halt),
    storeOpenCalls: Effect.andThen(store, storeOpen),
    lost
  }
  return writer
})
