/**
 * What the HTTP API adds to an answer: each kind of request beside a handler that does nothing but read the
 * body and answer the same bytes, in turn, so that both meet the same load.
 */
import { PersonaStore, RunStore } from "@cow/core"
import { type Handler, makeHandler } from "@cow/server"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as InMemory from "./InMemory.ts"
import { median, row } from "./Measure.ts"

const rounds = Number(process.argv[2] ?? 9)
const requests = 1_000
const maxRatio = 10

const settings = {
  host: "127.0.0.1",
  port: 4000,
  defaultModelId: "bench/m",
  maxPermission: "read-only" as const,
  workspace: "/nowhere",
  maxSteps: 3,
  version: "0.0.0"
}

const personas = Layer.mock(PersonaStore, { get: (id) => Effect.succeed({ id, name: id, createdAt: 0 }) })

const stored = Effect.flatMap(RunStore, (runs) =>
  runs.create({
    id: "r",
    sessionId: "s",
    status: "completed",
    model: "bench/m",
    persona: "default",
    permission: "read-only",
    workspace: "/nowhere",
    maxSteps: 3,
    restricted: false,
    parent: null,
    steps: 1,
    startsAt: 0,
    usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
    pending: null,
    error: null
  })
)

const ask = (method: string, path: string, body?: string) => () =>
  new Request(`http://127.0.0.1:4000${path}`, { method, ...(body === undefined ? {} : { body }) })

const kinds = {
  "GET /healthz": ask("GET", "/healthz"),
  "GET /api/runs/{id}": ask("GET", "/api/runs/r"),
  "POST /api/runs, refused": ask("POST", "/api/runs", "{}"),
  "a path that is not there": ask("GET", "/none")
}

/** Microseconds a request. */
const time = async (handler: Handler, request: () => Request): Promise<number> => {
  const began = performance.now()
  for (let at = 0; at < requests; at++) await (await handler(request())).text()
  return ((performance.now() - began) * 1000) / requests
}

const compare = async (handler: Handler, request: () => Request) => {
  const response = await handler(request())
  const [text, status] = [await response.text(), response.status]
  const bare = HttpEffect.toWebHandler(
    Effect.gen(function* () {
      yield* (yield* HttpServerRequest.HttpServerRequest).text
      return HttpServerResponse.text(text, { status })
    })
  )
  const taken = { ours: [] as Array<number>, bare: [] as Array<number> }
  for (let round = 0; round < rounds; round++) {
    taken.bare.push(await time(bare, request))
    taken.ours.push(await time(handler, request))
  }
  return { ours: median(taken.ours), bare: median(taken.bare) }
}

await Effect.gen(function* () {
  yield* stored
  const handler = yield* makeHandler(settings)
  for (const [name, request] of Object.entries(kinds)) {
    const { bare, ours } = yield* Effect.promise(() => compare(handler, request))
    const figure = `${ours.toFixed(0)} µs = ${(ours / bare).toFixed(1)} x`
    console.log(row(name, figure, `<= ${maxRatio} x a bare answer`, ours <= maxRatio * bare))
  }
}).pipe(Effect.scoped, Effect.provide(Layer.merge(personas, InMemory.layer([]))), Effect.runPromise)
