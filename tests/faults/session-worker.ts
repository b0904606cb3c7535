/**
 * Works on a session without end until it is killed: the real agent over `state.db`, a model and two tools that answer
 * at once. Lines in: `go SESSION`, `pause`. Lines out: `ready`, `begun PROMPT` when the prompt is stored, `done PROMPT`
 * when its run is completed, `paused`.
 */
import { Agent, SchemaValidatorAjv } from "@cow/agent"
import {
  Approver,
  Events,
  Message,
  type Model,
  Models,
  PromptSections,
  SkillCatalog,
  Tool,
  ToolGate,
  ToolManager,
  ToolResult,
  ToolSelector,
  ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import { ProcessOwner, RunStoreSqlite, SessionStoreSqlite, StateDbSqlite } from "@cow/store"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const [, , path = "", name = ""] = process.argv
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 }

/** The prompt is the last thing the user said; two calls come first, then the answer. */
const events = ({ messages }: Model.ModelRequest): ReadonlyArray<Model.ModelEvent> => {
  const prompt = messages
    .flatMap(({ parts, role }) => (role === "user" ? parts : []))
    .findLast((part) => part.type === "text")?.text
  const last = messages.at(-1)
  if (last !== undefined && Message.toolResultsOf(last).some(({ callId }) => callId.startsWith(`${prompt}/`)))
    return [
      { _tag: "TextDelta", block: "t", text: `answer to ${prompt}` },
      { _tag: "Finish", reason: "stop", usage }
    ]
  return [
    { _tag: "ToolCallStart", block: "1", id: `${prompt}/1`, name: "quick" },
    { _tag: "ToolCallStart", block: "2", id: `${prompt}/2`, name: "slow" },
    { _tag: "Finish", reason: "tool_calls", usage }
  ]
}

const model: Model.Model = {
  id: "test/m",
  takesImages: false,
  stream: (request) => Stream.fromIterable(events(request)).pipe(Stream.tap(() => Effect.sleep("1 millis")))
}

const tool = (named: string, millis: number) =>
  Tool.make({
    name: named,
    description: named,
    inputSchema: { type: "object" },
    run: () => Effect.as(Effect.sleep(millis), ToolResult.ok(named))
  })

const layer = Agent.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Approver.layerUnattended,
      Events.layer,
      Models.layer,
      PromptSections.layer,
      SchemaValidatorAjv.layer,
      SkillCatalog.layerNone,
      ToolGate.layerPermission,
      ToolManager.layer,
      ToolSelector.layerAll,
      ToolServers.layerNone,
      UnknownToolAdvice.layer,
      Layer.mergeAll(SessionStoreSqlite.layer, RunStoreSqlite.layer, ProcessOwner.layer).pipe(
        Layer.provide(StateDbSqlite.layer(path))
      )
    )
  ),
  Layer.provideMerge(BunServices.layer)
)

/** What it is told to work on now. */
let session: string | undefined
/** It was told to pause, also where that came before it had begun, and has not said that it does. */
let pausing = false
const listen = async () => {
  for await (const line of console) {
    session = line.startsWith("go ") ? line.slice(3) : undefined
    pausing = session === undefined
  }
}

const work = Effect.gen(function* () {
  const agent = yield* Agent
  yield* (yield* Models).register({ name: "test", model: () => Effect.succeed(model) })
  yield* (yield* ToolManager).register({ _tag: "Builtin" }, [tool("quick", 0), tool("slow", 3)])
  let prompt = ""
  yield* (yield* Events).addSink((_, { type }) =>
    type === "step_started" ? say(`begun ${prompt}`) : Effect.void
  )
  yield* say("ready")
  for (let at = 0; ; ) {
    if (session === undefined) {
      if (pausing) yield* say("paused")
      pausing = false
      yield* Effect.sleep("1 millis")
      continue
    }
    prompt = `${name}.${at++}`
    const asked = {
      prompt,
      sessionId: session,
      model: "test/m",
      persona: "default",
      permission: "full-access" as const,
      workspace: "/nowhere",
      maxSteps: 5
    }
    const { finished } = yield* agent
      .run(asked)
      .pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "SessionBusy", schedule: Schedule.spaced("5 millis") })
      )
    yield* say(finished.status === "completed" ? `done ${prompt}` : `${finished.status} ${finished.error}`)
  }
})

void listen()
void Effect.runPromise(Effect.scoped(work).pipe(Effect.provide(layer)))
