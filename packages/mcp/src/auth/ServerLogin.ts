/**
 * Logging in to a server over HTTP and out again, as a person asks for it. No other server is started for it; what
 * was gained is stored, and servers that run find it when they connect.
 *
 * What happens between Cow and the authorization server is `Authorizer`; the browser is handed in.
 */
import { NearNames } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as ConfigSource from "../config/ConfigSource.ts"
import { configPlaces, type McpSettings } from "../config/McpSettings.ts"
import { defaultRedirectUrl, type UserAgent } from "../config/UserAgent.ts"
import * as HttpConnection from "../connection/HttpConnection.ts"
import * as Launch from "../process/Launch.ts"
import * as Redaction from "../server/Redaction.ts"
import type { TokenStoreShape } from "./TokenStore.ts"
import * as TokenStoreFile from "./TokenStoreFile.ts"

export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  /** `not_found`, `unfit` (nothing to log in to), `refused` (by the person, the server, or what came back). */
  reason: Schema.Literals(["not_found", "unfit", "refused", "unwritable"]),
  /** One line. */
  message: Schema.String
}) {}

/** What connections in the background log in with: what is stored, and nobody to ask. */
export const options = ({ cowHome, oauthClient }: McpSettings) =>
  Effect.map(TokenStoreFile.ofHome(cowHome), (store: TokenStoreShape) => ({
    store,
    client: oauthClient ?? { redirectUrl: defaultRedirectUrl }
  }))

/** A person takes their time. */
const loginSeconds = 600

export interface LoggedIn {
  /** How many the server lists. */
  readonly tools: number
  /** False: the server asked for no login. */
  readonly asked: boolean
}

export class ServerLogin extends Context.Service<
  ServerLogin,
  {
    /** Connects, with a browser for what the server asks, and lists its tools. A login from before counts on until then. */
    readonly login: (server: string, userAgent: UserAgent) => Effect.Effect<LoggedIn, LoginFailed>
    /** Takes every stored login of the server away: how many there were. */
    readonly logout: (server: string) => Effect.Effect<number, LoginFailed>
  }
>()("@cow/mcp/ServerLogin") {
  static readonly layer = (
    settings: McpSettings
  ): Layer.Layer<ServerLogin, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(ServerLogin, make(settings))
}

const make = (settings: McpSettings) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { client, store } = yield* options(settings)
    const source = ConfigSource.make(fs, configPlaces(settings, path))
    const unfit = (message: string) => new LoginFailed({ reason: "unfit", message })
    const unwritable = ({ message }: { readonly message: string }) =>
      new LoginFailed({ reason: "unwritable", message })

    const configured = Effect.fnUntraced(function* (name: string) {
      const { servers, untrusted } = yield* source.read
      const found = servers.find((one) => one.name === name)
      if (found === undefined) {
        const names = servers.map((one) => one.name).sort()
        const message = `there is no MCP server "${name}"${NearNames.hint(name, names)}; configured: ${names.join(", ") || "none"}`
        return yield* new LoginFailed({ reason: "not_found", message })
      }
      return { found, untrusted }
    })

    const find = Effect.fnUntraced(function* (name: string) {
      const { found, untrusted } = yield* configured(name)
      if (untrusted.has(name))
        return yield* unfit(`server "${name}" is the project's, which is not trusted: \`cow trust\` first`)
      return yield* Effect.mapError(Effect.fromResult(found.entry), (why) =>
        unfit(`server "${name}": ${why}`)
      )
    })

    const login = Effect.fn("ServerLogin.login")(function* (name: string, userAgent: UserAgent) {
      const { protocol, transport } = yield* find(name)
      const launch = yield* Effect.fromResult(
        Launch.make(transport, (variable) => settings.env[variable])
      ).pipe(Effect.mapError((why) => unfit(`server "${name}": ${why}`)))
      const http = launch.transport
      if (http._tag !== "Http") return yield* unfit(`server "${name}" is started here: there is no login`)
      const connect = HttpConnection.connect(http, {
        server: name,
        protocol,
        connectTimeoutSeconds: loginSeconds,
        login: { store, client, userAgent }
      })
      const { tools } = yield* Effect.scoped(
        Effect.flatMap(connect, (connection) => connection.listTools)
      ).pipe(
        Effect.mapError(
          ({ message }) =>
            new LoginFailed({ reason: "refused", message: Redaction.message(message, launch.secrets) })
        )
      )
      const logins = yield* Effect.mapError(store.list({ server: name, url: http.url }), unwritable)
      return { tools: tools.length, asked: logins.some((one) => one.tokens !== undefined) }
    })

    return ServerLogin.of({
      login,
      // The login of a server that is gone from the configuration can still be taken away.
      logout: (server) =>
        Effect.mapError(store.remove(server), unwritable).pipe(
          Effect.tap((count) => (count === 0 ? configured(server) : Effect.void))
        )
    })
  })
