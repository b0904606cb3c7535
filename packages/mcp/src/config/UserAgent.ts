/**
 * The port to the browser of the person who logs in. Only a login that somebody asked for has one: a connection in
 * the background never opens anything.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class LoginRefused extends Schema.TaggedError<LoginRefused>()("LoginRefused", {
  /** One line: who refused, and why. */
  message: Schema.String
}) {}

export interface UserAgent {
  /** Where the authorization server sends the browser back to. */
  readonly redirectUrl: string
  /** Shows the address to the person: all parameters of the redirect that comes back. */
  readonly visit: (url: URL) => Effect.Effect<URLSearchParams, LoginRefused>
}

/** How Cow is known to authorization servers. */
export interface OAuthClientSettings {
  /** Where a browser is sent back to: registered also by connections that open none. */
  readonly redirectUrl: string
  /** An https address of a client metadata document, for the authorization servers that take one. */
  readonly clientMetadataUrl?: string | undefined
  /** A client that was registered by hand. */
  readonly client?: { readonly client_id: string; readonly client_secret?: string | undefined } | undefined
}

/** A fixed port, so that one registration serves every later login. */
export const defaultRedirectUrl = "http://127.0.0.1:41417/callback"
