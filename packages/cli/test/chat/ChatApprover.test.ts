import { describe, expect, test } from "bun:test"
import { Approver } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { layer, PendingAnswers } from "../../src/chat/ChatApprover.ts"

const pending = (callId: string) => ({ callId, tool: "bash", server: "", input: {}, reason: "asks" })

const inChat = <A>(work: Effect.Effect<A, never, Approver | PendingAnswers>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, layer))

const ask = (callId: string) =>
  Effect.flatMap(Approver, (approver) =>
    Effect.forkChild(approver.ask("r", pending(callId)), { startImmediately: true })
  )

describe("ChatApprover", () => {
  test("an answer reaches the call it names", () =>
    inChat(
      Effect.gen(function* () {
        const answers = yield* PendingAnswers
        const first = yield* ask("c1")
        const second = yield* ask("c2")
        expect(yield* answers.answer("c2", { _tag: "Refused", reason: "no" })).toBe(true)
        expect(yield* answers.answer("c1", { _tag: "Approved" })).toBe(true)
        expect(yield* Fiber.join(first)).toEqual({ _tag: "Approved" })
        expect(yield* Fiber.join(second)).toEqual({ _tag: "Refused", reason: "no" })
      })
    ))

  test("an answer without a name reaches the call that has waited longest, and none that does not wait", () =>
    inChat(
      Effect.gen(function* () {
        const answers = yield* PendingAnswers
        expect(yield* answers.answer(undefined, { _tag: "Approved" })).toBe(false)
        const first = yield* ask("c1")
        const second = yield* ask("c2")
        expect(yield* answers.answer(undefined, { _tag: "Approved" })).toBe(true)
        expect(yield* Fiber.join(first)).toEqual({ _tag: "Approved" })
        expect(yield* answers.answer("c1", { _tag: "Approved" })).toBe(false)
        yield* Fiber.interrupt(second)
        expect(yield* answers.waiting).toBe(false)
      })
    ))

  test("once the input has ended nobody can be asked any more", () =>
    inChat(
      Effect.gen(function* () {
        const answers = yield* PendingAnswers
        const waiting = yield* ask("c1")
        yield* answers.close
        expect(yield* Fiber.join(waiting)).toEqual({ _tag: "Unattended" })
        expect(yield* Fiber.join(yield* ask("c2"))).toEqual({ _tag: "Unattended" })
      })
    ))
})
