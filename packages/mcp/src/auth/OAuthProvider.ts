/**
 * Cow as an OAuth client of one MCP server, as the MCP client's `auth` wants it: registration and tokens come from
 * and go to the `TokenStore`, by issuer; what belongs to one flow lives here and is forgotten after it.
 *
 * When a flow is started is `Authorizer`.
 */
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { OAuthClientSettings } from "../config/UserAgent.ts"
import type { Login, LoginKey, TokenStoreShape } from "./TokenStore.ts"

type Client = NonNullable<Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>>
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>

export interface OAuthProvider extends OAuthClientProvider {
  /** Where the person must be sent, and the state that must come back. Once. */
  readonly takeRequest: () => { readonly url: URL; readonly state: string } | undefined
  /** Found before a flow; forgotten after it, so that the next one sees what has changed. */
  readonly startFlow: (discovery: OAuthDiscoveryState) => void
  readonly endFlow: () => void
  /** The login that counts now. */
  readonly login: () => Promise<Login | undefined>
}

const asJson = (value: object): Readonly<Record<string, Schema.Json>> => JSON.parse(JSON.stringify(value))

const randomState = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (one) =>
    one === "+" ? "-" : one === "/" ? "_" : ""
  )
}

/** @param fresh true: tokens that are there already do not count, until this login has brought new ones */
export const make = (
  key: LoginKey,
  store: TokenStoreShape,
  settings: OAuthClientSettings,
  fresh: boolean
): OAuthProvider => {
  let discovery: OAuthDiscoveryState | undefined
  let verifier: string | undefined
  let state: string | undefined
  let request: { readonly url: URL; readonly state: string } | undefined
  let ignored = fresh
  let handedOut: Tokens | undefined

  const logins = () => Effect.runPromise(store.list(key))
  const update = (issuer: string, change: (login: Login) => Login | undefined) =>
    Effect.runPromise(store.update({ ...key, issuer }, change))
  const issuerOf = (context: { readonly issuer: string } | undefined): string => {
    if (context === undefined) throw new Error("the MCP client names no issuer")
    return context.issuer
  }
  const login = async () =>
    ignored ? undefined : (await logins()).find(({ tokens }) => tokens !== undefined)
  /** A registration for another address to come back to is of no use. */
  const isUsable = (client: Login["client"]): boolean => {
    const uris = client?.redirect_uris
    return client !== undefined && (!Array.isArray(uris) || uris.includes(settings.redirectUrl))
  }

  return {
    redirectUrl: settings.redirectUrl,
    ...(settings.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: settings.clientMetadataUrl }),
    clientMetadata: {
      client_name: "Cow",
      redirect_uris: [settings.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
      token_endpoint_auth_method: "none"
    },
    state: () => {
      state = randomState()
      return state
    },
    clientInformation: async (context) => {
      const issuer = issuerOf(context)
      if (settings.client !== undefined) {
        const { client_id, client_secret } = settings.client
        return { client_id, ...(client_secret === undefined ? {} : { client_secret }), issuer }
      }
      const found = (await logins()).find((one) => one.issuer === issuer)?.client
      return isUsable(found) ? (found as unknown as Client) : undefined
    },
    saveClientInformation: async (client, context) => {
      if (settings.client !== undefined) return
      await update(issuerOf(context), (before) => ({ ...before, client: asJson(client) }))
    },
    tokens: async (context) => {
      if (context === undefined) return (await login())?.tokens as Tokens | undefined
      if (ignored) return undefined
      handedOut = (await logins()).find(({ issuer }) => issuer === context.issuer)?.tokens as
        | Tokens
        | undefined
      return handedOut
    },
    saveTokens: async (tokens, context) => {
      ignored = false
      const { expires_in: seconds } = tokens
      const lasts = typeof seconds === "number" ? { expiresAt: Date.now() + seconds * 1000 } : {}
      // A renewed token still lacks what the first one lacked.
      const isNew = verifier !== undefined
      await update(issuerOf(context), (login) => {
        // Taken away while it was renewed: it does not come back.
        if (!isNew && login.tokens === undefined) return login.client === undefined ? undefined : login
        const { expiresAt: _, wantedScope, ...before } = login
        return {
          ...before,
          ...lasts,
          ...(isNew || wantedScope === undefined ? {} : { wantedScope }),
          tokens: asJson(tokens)
        }
      })
    },
    redirectToAuthorization: (url) => {
      request = { url, state: state ?? "" }
    },
    saveCodeVerifier: (value) => {
      verifier = value
    },
    codeVerifier: () => {
      if (verifier === undefined) throw new Error("there is no login under way")
      return verifier
    },
    discoveryState: () => discovery,
    saveDiscoveryState: (value) => {
      discovery = value
    },
    invalidateCredentials: async (what) => {
      if (what === "verifier") verifier = undefined
      if (what === "discovery") discovery = undefined
      if (what !== "all" && what !== "client" && what !== "tokens") return
      const used = discovery?.authorizationServerMetadata?.issuer
      if (used === undefined) return
      await update(used, ({ client, tokens, expiresAt, ...rest }) => {
        // Another Cow may have renewed them in the meantime: then these are not the ones that failed.
        const renewed = tokens?.refresh_token !== handedOut?.refresh_token
        const keepTokens = tokens !== undefined && (what === "client" || (what === "tokens" && renewed))
        return {
          ...rest,
          ...(what === "tokens" && client !== undefined ? { client } : {}),
          ...(keepTokens ? { tokens, ...(expiresAt === undefined ? {} : { expiresAt }) } : {})
        }
      })
    },
    takeRequest: () => {
      const taken = request
      request = undefined
      return taken
    },
    startFlow: (found) => {
      discovery = found
    },
    endFlow: () => {
      discovery = undefined
      verifier = undefined
      request = undefined
    },
    login
  }
}
