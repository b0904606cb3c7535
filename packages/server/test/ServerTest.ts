/** A handler over the fake agent and memory stores, for tests. */
import { Events, Models, PersonaNotFound, PersonaStore, RunStore, SessionStore, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Handler, makeHandler, type ServerSettings } from "../src/index.ts"
import * as FakeAgent from "./FakeAgent.ts"

export const settings: ServerSettings = {
  host: "127.0.0.1",
  port: 4000,
  defaultModelId: "offline/cow",
  maxPermission: "workspace-write",
  workspace: "/work",
  maxSteps: 30,
  version: "0.1.0"
}

const models = Layer.effectDiscard(
  Effect.gen(function* () {
    const { register } = yield* Models
    yield* register({
      name: "offline",
      model: (name) =>
        Effect.succeed({ id: `offline/${name}`, takesImages: false, stream: () => Stream.empty })
    })
  })
)

const personas = Layer.succeed(PersonaStore, {
  list: Effect.succeed([]),
  get: (id) =>
    id === "default" || id === "p1"
      ? Effect.succeed({ id, name: id, createdAt: 0 })
      : Effect.fail(new PersonaNotFound({ id })),
  add: () => Effect.die("not used"),
  remove: () => Effect.die("not used")
})

export interface Harness {
  readonly handler: Handler
  readonly log: FakeAgent.Log
  /** A request with a JSON body, where one is given. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<Response>
  readonly sessions: SessionStore["Service"]
}

/** Runs a test with a handler, closed at its end. `runs`: where they are stored. */
export const withHandler = (
  body: (harness: Harness) => Effect.Effect<void, unknown, Scope.Scope> | Promise<void>,
  change: Partial<ServerSettings> = {},
  runs: Layer.Layer<RunStore> = RunStore.layerMemory
): Promise<void> => {
  const log = new FakeAgent.Log()
  return Effect.gen(function* () {
    const handler = yield* makeHandler({ ...settings, ...change })
    const sessions = yield* SessionStore
    const send: Harness["send"] = (method, path, json, headers = {}) =>
      handler(
        new Request(`http://127.0.0.1:4000${path}`, {
          method,
          headers,
          ...(json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) })
        })
      )
    const result = body({ handler, log, send, sessions })
    yield* Effect.isEffect(result) ? result : Effect.promise(() => result)
  }).pipe(
    Effect.scoped,
    Effect.provide(FakeAgent.layer(log)),
    Effect.provide(models),
    Effect.provide([
      Events.layer,
      runs,
      SessionStore.layerMemory,
      Models.layer,
      ToolServers.layerNone,
      personas
    ]),
    Effect.runPromise
  )
}

export const errorOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { error: { code: string; message: string } }
  return `${response.status} ${body.error.code}`
}

/** The objects of a line-delimited answer. */
export const linesOf = async (response: Response): Promise<ReadonlyArray<Record<string, unknown>>> =>
  (await response.text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
