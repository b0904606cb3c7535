/**
 * An agent whose runs do what their prompt says: `hello` answers, `wait` waits for an approval, `hang` runs until
 * it is cancelled, `crash` breaks off, `busy` cannot start, `silent` is cancelled before it has said anything. It keeps the promises of the real one: facts to `Events`
 * and to the store, and a cancelled run is stored before the interruption is complete.
 */
import { Agent, NotWaiting } from "@cow/agent"
import { type AgentEvent, Events, Model, type Run, RunStore, SessionBusy } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What the agent was asked to do, in order. */
export class Log {
  readonly lines: Array<string> = []
  readonly #waiting = new Map<string, () => void>()

  push(line: string): void {
    this.lines.push(line)
    this.#waiting.get(line)?.()
  }

  /** Resolves once the line is there. */
  until(line: string): Promise<void> {
    return this.lines.includes(line)
      ? Promise.resolve()
      : new Promise((resolve) => this.#waiting.set(line, resolve))
  }
}

const started = (run: Run.Run): AgentEvent.AgentEvent => ({
  type: "run_started",
  v: 1,
  run_id: run.id,
  session_id: run.sessionId,
  model: run.model,
  persona: run.persona,
  workspace: run.workspace,
  permission: run.permission,
  tools: { builtin: 0, mcp: 0 },
  mcp: [],
  skills: { available: 0, unavailable: 0 }
})

const finished = (
  id: string,
  status: AgentEvent.AgentEventOf<"run_finished">["status"],
  text = ""
): AgentEvent.AgentEventOf<"run_finished"> => ({
  type: "run_finished",
  run_id: id,
  status,
  text,
  steps: 1,
  usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0 },
  error: null
})

const pending: Run.PendingApproval = {
  callId: "call-1",
  tool: "mcp__fs__write",
  server: "fs",
  input: { path: "a" },
  reason: "it may change data"
}

export const layer = (log: Log): Layer.Layer<Agent, never, Events | RunStore> =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const events = yield* Events
      const runs = yield* RunStore
      let count = 0

      const emit = (id: string, event: AgentEvent.AgentEvent) =>
        Effect.andThen(events.publish(id, event), Effect.orDie(runs.append(id, event)))

      const end = (id: string, status: "completed" | "cancelled" | "waiting_approval", text = "") =>
        Effect.gen(function* () {
          const change = status === "waiting_approval" ? { pending } : {}
          yield* Effect.orDie(runs.transition(id, "running", status, change))
          const last = finished(id, status, text)
          yield* emit(id, last)
          return { finished: last, failure: null }
        })

      const hang = (id: string) =>
        Effect.onInterrupt(Effect.never, () => {
          log.push(`cancelled ${id}`)
          return end(id, "cancelled")
        })

      return Agent.of({
        run: Effect.fnUntraced(function* (request) {
          // A session has one open run.
          const { sessionId = request.prompt === "wait" ? `s-wait-${count + 1}` : "s-new" } = request
          log.push(`run ${request.persona} ${request.permission} ${request.model} ${request.prompt}`)
          if (request.prompt === "silent")
            return yield* Effect.onInterrupt(Effect.never, () =>
              Effect.sync(() => log.push("silent no more"))
            )
          if (request.prompt === "busy")
            return yield* new SessionBusy({ sessionId, runId: "r-0", status: "running", owner: null })
          const id = `r-${++count}`
          const { maxSteps, model, permission, persona, workspace } = request
          const run = { id, sessionId, persona, permission, workspace, maxSteps, model }
          yield* runs.create({
            ...run,
            status: "running",
            steps: 0,
            startsAt: 0,
            restricted: false,
            parent: null,
            usage: Model.noUsage,
            pending: null,
            error: null
          })
          yield* emit(id, started(yield* Effect.orDie(runs.get(id))))
          switch (request.prompt) {
            case "wait":
              yield* emit(id, {
                type: "approval_requested",
                run_id: id,
                call_id: pending.callId,
                tool: pending.tool,
                server: pending.server,
                input: pending.input,
                reason: pending.reason
              })
              return yield* end(id, "waiting_approval")
            case "hang":
              return yield* hang(id)
            case "crash":
              return yield* Effect.die(new Error("at /secret/path/of/cow.ts"))
            default:
              yield* emit(id, { type: "text_delta", text: "hello\nyou" })
              return yield* end(id, "completed", "hello\nyou")
          }
        }),
        resume: Effect.fnUntraced(function* (runId, answer) {
          yield* runs
            .transition(runId, "waiting_approval", "running", { pending: null })
            .pipe(
              Effect.catchTag("IllegalTransition", ({ from }) =>
                Effect.fail(new NotWaiting({ runId, status: from }))
              )
            )
          const refused = answer._tag === "Refused" && answer.end
          const what = refused ? "refused, end" : answer._tag.toLowerCase()
          log.push(`resume ${runId} ${what}`)
          if (refused || answer._tag === "Cancelled") return yield* end(runId, "cancelled")
          return yield* hang(runId)
        }),
        steer: (sessionId, text) =>
          Effect.sync(() => {
            log.push(`steer ${sessionId} ${text}`)
            return text === "too much" ? "full" : sessionId === "s-new" ? "accepted" : "inactive"
          }),
        call: () => Effect.die("no single calls over HTTP")
      })
    })
  )
