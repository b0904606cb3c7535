/**
 * The port to stored logins: what authorization servers gave Cow for one MCP server, at one address. What one
 * issuer gave is never shown to another. In a file: `TokenStoreFile`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export const Login = Schema.Struct({
  /** The MCP server's name and address: a login counts for both together. */
  server: Schema.String,
  url: Schema.String,
  /** The authorization server. */
  issuer: Schema.String,
  /** The registration: `client_id` and what belongs to it. */
  client: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** The answer of the token endpoint. */
  tokens: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Milliseconds since 1970; absent where the server did not say. */
  expiresAt: Schema.optionalKey(Schema.Number),
  /** A scope that the server has asked for since. */
  wantedScope: Schema.optionalKey(Schema.String)
})
export type Login = typeof Login.Type

export interface LoginKey {
  readonly server: string
  readonly url: string
}

export class TokenStoreFailed extends Schema.TaggedError<TokenStoreFailed>()("TokenStoreFailed", {
  /** One line that names the file. Holds no secret. */
  message: Schema.String
}) {}

export interface TokenStoreShape {
  /** Of this server at this address, the one saved last first. */
  readonly list: (key: LoginKey) => Effect.Effect<ReadonlyArray<Login>, TokenStoreFailed>
  /** Changes, makes or takes away (`undefined`) the login of one issuer. */
  readonly update: (
    key: LoginKey & { readonly issuer: string },
    change: (login: Login) => Login | undefined
  ) => Effect.Effect<void, TokenStoreFailed>
  /** Takes away every login of the server, whatever its address: how many there were. */
  readonly remove: (server: string) => Effect.Effect<number, TokenStoreFailed>
}

export const isOf =
  (key: LoginKey) =>
  (login: Login): boolean =>
    login.server === key.server && login.url === key.url

/** The changed login first. */
export const updated = (
  logins: ReadonlyArray<Login>,
  key: LoginKey & { readonly issuer: string },
  change: (login: Login) => Login | undefined
): ReadonlyArray<Login> => {
  const { issuer, server, url } = key
  const isThis = (login: Login) => isOf(key)(login) && login.issuer === issuer
  const changed = change(logins.find(isThis) ?? { server, url, issuer })
  const others = logins.filter((login) => !isThis(login))
  return changed === undefined ? others : [changed, ...others]
}

export class TokenStore extends Context.Service<TokenStore, TokenStoreShape>()("@cow/mcp/TokenStore") {
  static readonly layerMemory: Layer.Layer<TokenStore> = Layer.sync(TokenStore, () => makeMemory())
}

export const makeMemory = (): TokenStoreShape => {
  let logins: ReadonlyArray<Login> = []
  return {
    list: (key) => Effect.sync(() => logins.filter(isOf(key))),
    update: (key, change) =>
      Effect.sync(() => {
        logins = updated(logins, key, change)
      }),
    remove: (server) =>
      Effect.sync(() => {
        const before = logins.length
        logins = logins.filter((login) => login.server !== server)
        return before - logins.length
      })
  }
}
