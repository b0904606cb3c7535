/**
 * Listens on a port with a handler of web requests. What is answered is the server package's.
 *
 * This is the layer for Bun.serve.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { failed } from "../command/ExitCode.ts"

type Handler = (request: Request) => Promise<Response>

export interface ListenOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}

/**
 * The address that is listened on. At the end no new connection is taken, then the handler's scope ends what it is
 * doing, then what is left of the connections is cut.
 */
export const listen = <E, R>(
  { host, port }: ListenOptions,
  makeHandler: Effect.Effect<Handler, E, R | Scope.Scope>
) =>
  Effect.gen(function* () {
    let server: Bun.Server<undefined> | undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => server?.stop(true)))
    const handler = yield* makeHandler
    server = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          Bun.serve({
            hostname: host,
            port,
            // A run can be silent for long.
            idleTimeout: 0,
            // The handler has a bound of its own, and says so in its own words.
            maxRequestBodySize: Number.POSITIVE_INFINITY,
            fetch: (request) => handler(request)
          }),
        catch: (cause) =>
          failed(
            `cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
          )
      }),
      (started) => Effect.sync(() => void started.stop())
    )
    return server.url.href
  })
