/**
 * This is the layer for `node:http`: the address on this machine that a browser comes back to after a login. It
 * listens on the loopback interface only, while a login is under way, and takes each state once.
 *
 * What the parameters mean, and whether they come from the right issuer, is `Authorizer`.
 */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { defaultRedirectUrl, LoginRefused } from "../config/UserAgent.ts"

export interface LoginCallback {
  readonly redirectUrl: string
  /** Waits for the browser with this state. Another state refuses the login. */
  readonly expect: (state: string) => Effect.Effect<URLSearchParams, LoginRefused>
}

interface Expected {
  readonly state: string
  readonly came: Deferred.Deferred<URLSearchParams, LoginRefused>
}

interface Answer {
  readonly status: number
  readonly text: string
}

const bindTo = (port: number) =>
  Effect.callback<Server, NodeJS.ErrnoException>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

/** On the port that is registered or, where another program has it, on any. */
export const listen: Effect.Effect<LoginCallback, LoginRefused, Scope.Scope> = Effect.gen(function* () {
  const wanted = new URL(defaultRedirectUrl)
  const server = yield* Effect.acquireRelease(
    bindTo(Number(wanted.port)).pipe(
      Effect.catchIf(
        ({ code }) => code === "EADDRINUSE" || code === "EACCES",
        () => bindTo(0)
      ),
      Effect.mapError(
        ({ message }) => new LoginRefused({ message: `nothing can listen for the login: ${message}` })
      )
    ),
    (open) =>
      Effect.sync(() => {
        open.close()
        open.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  let expected: Expected | undefined
  const used = new Set<string>()

  const answer = ({ headers, method, url }: IncomingMessage): Answer => {
    // A name that somebody has made to point at this machine is none of ours.
    if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`)
      return { status: 403, text: "This address is for this machine only." }
    const asked = URL.parse(url ?? "/", `http://127.0.0.1:${port}`)
    if (method !== "GET" || asked?.pathname !== wanted.pathname)
      return { status: 404, text: "Nothing is here." }
    const state = asked.searchParams.get("state") ?? ""
    if (used.has(state)) return { status: 400, text: "This login was used already." }
    if (expected === undefined) return { status: 400, text: "No login is under way." }
    const { came } = expected
    if (state !== expected.state) {
      Deferred.doneUnsafe(
        came,
        Exit.fail(new LoginRefused({ message: "the login came back with a wrong state" }))
      )
      return { status: 400, text: "This login is not the one that Cow has started: it is refused." }
    }
    used.add(state)
    expected = undefined
    Deferred.doneUnsafe(came, Exit.succeed(asked.searchParams))
    return asked.searchParams.has("error")
      ? { status: 400, text: "The login was refused. Go back to the terminal." }
      : { status: 200, text: "Cow has what it needs. Go back to the terminal." }
  }
  server.on("request", (request, response) => {
    const { status, text } = answer(request)
    response.writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff"
    })
    response.end(`${text}\n`)
  })
  return {
    redirectUrl: `http://127.0.0.1:${port}${wanted.pathname}`,
    expect: (state) =>
      Effect.suspend(() => {
        const came = Deferred.makeUnsafe<URLSearchParams, LoginRefused>()
        expected = { state, came }
        return Deferred.await(came)
      })
  }
})
