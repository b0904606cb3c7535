/**
 * Puts the bearer on requests to one MCP server, keeps it fresh, and does what a 401 or a 403 for want of scope asks
 * for: a refresh or, where a person is there to log in, an authorization. In the background it only notes where one
 * would have to log in. Many requests wait for one and the same flow.
 *
 * Who logs in is `UserAgent`; what is remembered is `TokenStore`.
 */
import type { FetchLike, OAuthServerInfo } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { LoginRefused, type OAuthClientSettings, type UserAgent } from "../config/UserAgent.ts"
import { oauthFetch } from "../connection/HttpFetch.ts"
import { library } from "../connection/McpSession.ts"
import * as AuthChallenge from "./AuthChallenge.ts"
import * as OAuthProvider from "./OAuthProvider.ts"
import type { Login, LoginKey, TokenStoreShape } from "./TokenStore.ts"

export interface AuthorizerOptions {
  readonly key: LoginKey
  readonly store: TokenStoreShape
  readonly client: OAuthClientSettings
  /** Absent: nobody is there to log in. */
  readonly userAgent?: UserAgent | undefined
}

/** What became of the wish to log in. */
export type Obstacle =
  | { readonly _tag: "LoginNeeded"; readonly url: URL; readonly scope: string | undefined }
  /** The server says 401 and not how to log in. */
  | { readonly _tag: "NoLoginOffered"; readonly reason: string }
  | { readonly _tag: "Refused"; readonly reason: string }

export interface Authorizer {
  readonly fetch: FetchLike
  /** Counts what happens inside as one operation: it gets three authorizations at most. */
  readonly operation: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Somebody is there to log in. */
  readonly attended: boolean
  /** Why the last 401 or 403 stayed one. */
  readonly obstacle: () => Obstacle | undefined
  /** Texts that no message may show. */
  readonly secrets: () => ReadonlyArray<string>
}

const maxAuthorizations = 3
/** A token that ends sooner than this is renewed first. */
const renewBeforeMillis = 60_000

class Hindered extends Error {
  constructor(readonly obstacle: Obstacle) {
    super(obstacle._tag)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const make = (fetchServer: FetchLike, options: AuthorizerOptions): Effect.Effect<Authorizer> =>
  Effect.gen(function* () {
    const sdk = yield* library
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const { key, store, userAgent } = options
    const client =
      userAgent === undefined ? options.client : { ...options.client, redirectUrl: userAgent.redirectUrl }
    const provider = OAuthProvider.make(key, store, client, userAgent !== undefined)
    const metadataFetch = oauthFetch(new URL(key.url))
    const secrets = new Set<string>()
    let login: Promise<Login | undefined> | undefined
    let underWay: Promise<void> | undefined
    let obstacle: Obstacle | undefined
    let running = 0
    let spent = 0

    const current = () => {
      login ??= provider.login().then((found) => {
        for (const name of ["access_token", "refresh_token"]) {
          const secret = found?.tokens?.[name]
          if (typeof secret === "string" && secret.length >= 4) secrets.add(secret)
        }
        return found
      })
      return login
    }
    const bearerOf = (found: Login | undefined): string | undefined => {
      const token = found?.tokens?.access_token
      return typeof token === "string" ? token : undefined
    }
    const once = (flow: () => Promise<void>): Promise<void> => {
      underWay ??= flow().finally(() => {
        underWay = undefined
        login = undefined
        provider.endFlow()
      })
      return underWay
    }

    const discover = async (resourceMetadataUrl: URL | undefined): Promise<OAuthServerInfo> => {
      const found = await sdk.discoverOAuthServerInfo(key.url, {
        fetchFn: metadataFetch,
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl })
      })
      if (found.authorizationServerMetadata === undefined)
        throw new Hindered({ _tag: "NoLoginOffered", reason: "it publishes no authorization server" })
      return found
    }

    const finish = async (params: URLSearchParams, state: string, info: OAuthServerInfo): Promise<void> => {
      if (params.get("state") !== state)
        throw new LoginRefused({ message: "the login came back with a wrong state" })
      const iss = params.get("iss") ?? undefined
      const metadata = info.authorizationServerMetadata
      // Before anything else of the answer is believed, also its error.
      sdk.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true
      })
      const error = params.get("error")
      if (error !== null) {
        const more = params.get("error_description")
        throw new LoginRefused({
          message: `the login was refused: ${error}${more === null ? "" : ` (${more})`}`
        })
      }
      const code = params.get("code")
      if (code === null) throw new LoginRefused({ message: "the login came back without a code" })
      await sdk.auth(provider, {
        serverUrl: key.url,
        authorizationCode: code,
        ...(iss === undefined ? {} : { iss }),
        fetchFn: metadataFetch
      })
    }

    const authorize = async (challenge: AuthChallenge.AuthChallenge): Promise<void> => {
      if (spent >= maxAuthorizations)
        throw new Hindered({ _tag: "Refused", reason: `refused after ${maxAuthorizations} authorizations` })
      const found = await current()
      const info = await discover(challenge.resourceMetadataUrl)
      provider.startFlow({
        ...info,
        ...(challenge.resourceMetadataUrl === undefined
          ? {}
          : { resourceMetadataUrl: challenge.resourceMetadataUrl.href })
      })
      const granted = typeof found?.tokens?.scope === "string" ? found.tokens.scope : undefined
      const widened = challenge.status === 403
      const logins = await run(store.list(key))
      const wanted = logins.find(({ wantedScope }) => wantedScope !== undefined)?.wantedScope
      const scope = sdk.computeScopeUnion(widened ? granted : undefined, challenge.scope, wanted)
      const result = await sdk.auth(provider, {
        serverUrl: key.url,
        fetchFn: metadataFetch,
        forceReauthorization: widened,
        ...(scope === undefined ? {} : { scope }),
        ...(challenge.resourceMetadataUrl === undefined
          ? {}
          : { resourceMetadataUrl: challenge.resourceMetadataUrl })
      })
      if (result === "AUTHORIZED") return
      const request = provider.takeRequest()
      if (request === undefined) throw new Error("the MCP client asks for a login without an address")
      if (userAgent === undefined) {
        // The login that somebody asks for later must know what this one lacked.
        if (widened && found !== undefined && scope !== undefined)
          await run(
            store.update({ ...key, issuer: found.issuer }, (before) => ({ ...before, wantedScope: scope }))
          )
        throw new Hindered({ _tag: "LoginNeeded", url: request.url, scope })
      }
      spent++
      await finish(await run(userAgent.visit(request.url)), request.state, info)
    }

    const obstacleOf = (error: unknown): Obstacle => {
      if (error instanceof Hindered) return error.obstacle
      if (error instanceof sdk.RegistrationRejectedError)
        return { _tag: "NoLoginOffered", reason: `it does not register Cow (HTTP ${error.status})` }
      return { _tag: "Refused", reason: messageOf(error) }
    }

    /** False: the answer of the server stands, and `obstacle` says why. */
    const obtain = async (challenge: AuthChallenge.AuthChallenge): Promise<boolean> => {
      try {
        await once(() => authorize(challenge))
        obstacle = undefined
        return true
      } catch (error) {
        obstacle = obstacleOf(error)
        return false
      }
    }

    const renewed = async (): Promise<Login | undefined> => {
      const found = await current()
      const { expiresAt, tokens } = found ?? {}
      if (expiresAt === undefined || expiresAt - Date.now() > renewBeforeMillis) return found
      if (typeof tokens?.refresh_token !== "string") return found
      // What cannot be renewed is tried as it is: the server's answer decides.
      await obtain({ status: 401, scope: undefined, resourceMetadataUrl: undefined })
      return current()
    }

    const authorizedFetch: FetchLike = async (url, init) => {
      for (let attempt = 0; ; attempt++) {
        const bearer = bearerOf(await renewed())
        const headers = new Headers(init?.headers)
        if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`)
        const response = await fetchServer(url, { ...init, headers })
        const challenge = AuthChallenge.of(response, sdk.extractWWWAuthenticateParams, bearer !== undefined)
        if (challenge === undefined) {
          obstacle = undefined
          return response
        }
        if (attempt >= maxAuthorizations) return AuthChallenge.settled(response)
        // Somebody else may have got a new token while this request was on its way.
        login = undefined
        const isOld = bearerOf(await current()) !== bearer
        if (!isOld && !(await obtain(challenge))) return AuthChallenge.settled(response)
        await response.body?.cancel()
      }
    }

    return {
      fetch: authorizedFetch,
      operation: (effect) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            if (running++ === 0) spent = 0
          }),
          () => effect,
          () => Effect.sync(() => void running--)
        ),
      attended: userAgent !== undefined,
      obstacle: () => obstacle,
      secrets: () => [...secrets]
    }
  })
