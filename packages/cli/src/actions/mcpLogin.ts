/** `cow mcp login|logout`: logging in to servers that ask for it, with the user's browser, and out again. */
import {
  LoginCallback,
  type LoginFailed,
  LoginRefused,
  PastedRedirect,
  ServerLogin,
  type UserAgent
} from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type CommandFailed, ExitCode, failed } from "../command/ExitCode.ts"
import * as App from "../layers/App.ts"
import * as ServerLayers from "../layers/ServerLayers.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as ReloadRequest from "../run/ReloadRequest.ts"
import * as Browser from "../terminal/Browser.ts"
import { Output } from "../terminal/Output.ts"
import { counted } from "../terminal/Printable.ts"
import * as StandardInput from "../terminal/StandardInput.ts"

const logins = Layer.unwrap(Effect.map(ServerLayers.settings, ServerLogin.layer)).pipe(
  Layer.provideMerge(App.configuration)
)

const refusals = {
  LoginFailed: ({ message, reason }: LoginFailed) =>
    failed(message, reason === "not_found" || reason === "unfit" ? ExitCode.badInput : ExitCode.failure)
}

const tell = (text: string) => Effect.flatMap(Output, (output) => output.note(text))

const refused = ({ message }: CommandFailed) => new LoginRefused({ message })

/** The first line that can be one, from a person who logs in elsewhere. At the end of input nothing more comes. */
const pasted = (state: string) =>
  StandardInput.lines.pipe(
    Stream.filter((line) => line.trim() !== ""),
    Stream.runHead,
    Effect.mapError(refused),
    Effect.flatMap((line) => (line._tag === "Some" ? Effect.succeed(line.value) : Effect.never)),
    Effect.flatMap((line) =>
      Effect.mapError(
        Effect.fromResult(PastedRedirect.parse(line, state)),
        (message) => new LoginRefused({ message })
      )
    )
  )

const userAgent = (noBrowser: boolean) =>
  Effect.gen(function* () {
    const callback = yield* LoginCallback.listen
    const context = yield* Effect.context<
      Effect.Services<ReturnType<typeof pasted>> | Effect.Services<ReturnType<typeof Browser.open>> | Output
    >()
    return {
      redirectUrl: callback.redirectUrl,
      visit: (url) =>
        Effect.gen(function* () {
          const state = url.searchParams.get("state") ?? ""
          const came = callback.expect(state)
          if (noBrowser) {
            yield* tell(`open ${url}`)
            yield* tell("then paste the address that the browser ends at, if it cannot reach this machine")
            return yield* Effect.raceFirst(came, pasted(state))
          }
          const opened = yield* Browser.open(url)
          yield* tell(opened ? `your browser asks you to log in; if it does not, open ${url}` : `open ${url}`)
          return yield* came
        }).pipe(Effect.provideContext(context))
    } satisfies UserAgent
  })

export const login = Effect.fnUntraced(
  function* ({ name, noBrowser }: { readonly name: string; readonly noBrowser: boolean }) {
    yield* InsideRun.refuse("logging in to an MCP server")
    const service = yield* ServerLogin
    const { asked, tools } = yield* Effect.scoped(
      Effect.flatMap(
        Effect.mapError(userAgent(noBrowser), ({ message }) => failed(message, ExitCode.failure)),
        (agent) => service.login(name, agent)
      )
    )
    if (asked) yield* ReloadRequest.send(name)
    yield* tell(
      asked
        ? `logged in to ${name}, which lists ${counted(tools, "tool")}`
        : `${name} asks for no login; it lists ${counted(tools, "tool")}`
    )
  },
  Effect.catchTags(refusals),
  Effect.provide(logins)
)

export const logout = Effect.fnUntraced(
  function* ({ name }: { readonly name: string }) {
    const count = yield* Effect.flatMap(ServerLogin, (service) => service.logout(name))
    if (count > 0) yield* ReloadRequest.send(name)
    yield* tell(count > 0 ? `logged out of ${name}` : `there is no login for ${name}`)
  },
  Effect.catchTags(refusals),
  Effect.provide(logins)
)
