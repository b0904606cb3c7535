/**
 * Who may talk to the server: the first two checks of every request, before its path is looked at. Pure.
 *
 * `Host` guards against pages whose own name was pointed at this machine (DNS rebinding), `Origin` against pages of
 * other sites; the bearer token against everybody else.
 */
import * as Schema from "effect/Schema"
import * as HttpFailure from "../failure/HttpFailure.ts"
import * as HostHeader from "./HostHeader.ts"

/** `cow serve` would be open to a network without a token. */
export class TokenRequired extends Schema.TaggedError<TokenRequired>()("TokenRequired", {
  host: Schema.String,
  message: Schema.String
}) {}

export interface AccessRules {
  /** What the server listens on, as in `127.0.0.1`, `::1`, `localhost`, `0.0.0.0`. */
  readonly host: string
  readonly token?: string
}

export interface AccessHeaders {
  readonly host: string
  readonly origin: string | undefined
  readonly authorization: string | undefined
}

const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1").toLowerCase()

/** A name or address that only this machine answers to. */
export const isLoopback = (host: string): boolean => {
  const name = unbracketed(host)
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name)
}

const isAddress = (host: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || (host.includes(":") && /^[0-9a-f:.]+$/.test(host))

/** Bound to a network address, any address may be named; a name other than its own never is. */
const isOwnHost = (rules: AccessRules, { name }: HostHeader.Host): boolean => {
  if (isLoopback(name) || name === unbracketed(rules.host)) return true
  return !isLoopback(rules.host) && isAddress(name)
}

const isOwnOrigin = ({ authority }: HostHeader.Host, origin: string): boolean =>
  origin.toLowerCase() === `http://${authority}` || origin.toLowerCase() === `https://${authority}`

/** Takes the same time wherever the texts differ. */
const sameText = (left: string, right: string): boolean => {
  const [a, b] = [new TextEncoder().encode(left), new TextEncoder().encode(right)]
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at % Math.max(1, b.length)] ?? 0)
  return difference === 0
}

/** The refusal, or null. */
export const refusal = (rules: AccessRules, headers: AccessHeaders): HttpFailure.HttpFailure | null => {
  const host = HostHeader.parse(headers.host)
  if (host === null)
    return HttpFailure.badHost("the Host header must be one name or address, and a port or none")
  if (!isOwnHost(rules, host)) return HttpFailure.forbiddenOrigin("the Host header does not name this server")
  if (headers.origin !== undefined && !isOwnOrigin(host, headers.origin))
    return HttpFailure.forbiddenOrigin("requests from pages of another origin are refused")
  if (rules.token === undefined) return null
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
  return given !== undefined && sameText(given, rules.token)
    ? null
    : HttpFailure.unauthorized("this server wants the header Authorization: Bearer TOKEN")
}

/** Null when the server may start like this. */
export const startRefusal = ({ host, token }: AccessRules): TokenRequired | null =>
  isLoopback(host) || (token !== undefined && token !== "")
    ? null
    : new TokenRequired({ host, message: `--host ${host} is open to the network: it needs a token` })
