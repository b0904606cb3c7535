/**
 * What the endpoints of runs do. Reading is `RunReading`, starting one `RunStream`; answering an approval and
 * cancelling while one waits is `RunApproval`.
 */
import { Agent } from "@cow/agent"
import { Page } from "@cow/core"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../Api.ts"
import * as HttpFailure from "../failure/HttpFailure.ts"
import * as RunApproval from "./RunApproval.ts"
import * as RunDocument from "./RunDocument.ts"
import * as RunReading from "./RunReading.ts"
import * as RunStream from "./RunStream.ts"
import { defaultLimit } from "./RunsGroup.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fnUntraced(function* (handlers) {
    const agent = yield* Agent
    const { events, find, list } = yield* RunReading.make
    const approval = yield* RunApproval.make
    const start = yield* RunStream.make

    const steered = Effect.fnUntraced(function* (id: string, text: string) {
      const run = yield* find(id)
      yield* approval.mustBeOpen(run)
      switch (yield* agent.steer(run.sessionId, text)) {
        case "accepted":
          return { run_id: id }
        case "invalid":
          return yield* HttpFailure.invalidBody("text: this text cannot be sent")
        case "full":
          return yield* HttpFailure.invalidBody("text: too many texts wait already")
        case "closing":
          return yield* HttpFailure.runTerminal(`run ${id} is just ending`)
        case "inactive":
          return yield* HttpFailure.runNotActive(
            run.status === "waiting_approval"
              ? `run ${id} waits for an approval`
              : `run ${id} is not worked on by this server`
          )
      }
    })

    const cursorOf = (text: string) =>
      Option.match(Page.parseCursor(text), {
        onNone: () => Effect.fail(HttpFailure.invalidQuery("cursor: this is no `next_cursor` of an answer")),
        onSome: Effect.succeed
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query: { cursor, limit = defaultLimit, session, status } }) {
        const page = yield* list({
          limit: Number(limit),
          ...(session === undefined ? {} : { sessionId: session }),
          ...(status === undefined ? {} : { status }),
          ...(cursor === undefined ? {} : { cursor: yield* cursorOf(cursor) })
        })
        return {
          runs: page.items.map(RunDocument.make),
          next_cursor: page.next === null ? null : Page.cursorText(page.next)
        }
      }),
      start: ({ payload, request }) => start(payload, request.headers.accept),
      show: ({ params: { id } }) => Effect.map(find(id), RunDocument.make),
      events: ({ params: { id }, query: { after_sequence = "0" } }) =>
        Effect.map(events(id, Number(after_sequence)), (stored) => ({
          events: stored.map(RunDocument.event)
        })),
      approval: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        yield* approval.answer(yield* find(id), payload)
        return { run: RunDocument.make(yield* find(id)), approved: payload.approved }
      }),
      cancel: Effect.fnUntraced(function* ({ params: { id } }) {
        yield* approval.cancel(yield* find(id))
        const run = yield* find(id)
        if (run.status !== "cancelled")
          return yield* HttpFailure.runTerminal(`run ${id} is ${run.status} already`)
        return RunDocument.make(run)
      }),
      steer: ({ params: { id }, payload: { text } }) => steered(id, text)
    })
  })
)
