/**
 * One HTTP GET to addresses that were checked: every address of the name is looked at first, and the connection
 * goes to one of those, whatever the name says later. This is the layer for node:dns, node:http, node:https,
 * node:net and node:zlib.
 */

import { lookup } from "node:dns/promises"
import type { IncomingMessage, RequestOptions } from "node:http"
import type { LookupFunction } from "node:net"
import { NetAddress } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CallDenied, CallFailed } from "../tool/CallFailure.ts"
import * as Thrown from "../tool/Thrown.ts"

/** A longer body is an error. */
const maxBodyBytes = 50 * 1024 * 1024

export interface PinnedResponse {
  readonly status: number
  readonly statusText: string
  readonly contentType: string
  readonly location: string | undefined
  readonly body: Uint8Array
}

interface Address {
  readonly address: string
  readonly family: number
}

/** A lone `%` stands for itself. */
const decoded = (text: string): string =>
  Option.getOrElse(Option.liftThrowable(decodeURIComponent)(text), () => text)

const resolve = (host: string): Effect.Effect<ReadonlyArray<Address>, CallFailed> =>
  NetAddress.isAddress(host)
    ? Effect.succeed([{ address: host, family: host.includes(":") ? 6 : 4 }])
    : Effect.tryPromise({
        try: () => lookup(host, { all: true, verbatim: true }),
        catch: (cause) => new CallFailed({ message: `cannot resolve ${host}: ${Thrown.messageOf(cause)}` })
      })

/** The addresses of a host, all of them allowed. */
const checked = Effect.fnUntraced(function* (url: URL, allowPrivate: boolean) {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  const addresses = yield* resolve(host)
  if (addresses.length === 0) return yield* new CallFailed({ message: `${host} has no address` })
  for (const { address } of addresses) {
    const reach = NetAddress.reach(address)
    if (reach === "Closed")
      return yield* new CallDenied({
        message: `${host} is at ${address}, which is link-local or reserved and never fetched`
      })
    if (reach === "Private" && !allowPrivate)
      return yield* new CallDenied({
        message: `${host} is at ${address}, a private address; web_fetch_allow_private is false`
      })
  }
  return { host, addresses }
})

const collect = (
  response: IncomingMessage,
  done: (result: Effect.Effect<PinnedResponse, CallFailed>) => void,
  unpack: (bytes: Uint8Array, encoding: string) => Uint8Array
): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
    else {
      response.destroy()
      done(Effect.fail(new CallFailed({ message: `the body is over ${maxBodyBytes} bytes` })))
    }
  })
  response.on("error", (cause) =>
    done(Effect.fail(new CallFailed({ message: `the answer broke off: ${Thrown.messageOf(cause)}` })))
  )
  response.on("end", () =>
    done(
      Effect.try({
        try: () => ({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? "",
          contentType: response.headers["content-type"] ?? "",
          location: response.headers.location,
          body: unpack(Buffer.concat(chunks), response.headers["content-encoding"] ?? "")
        }),
        catch: (cause) =>
          new CallFailed({ message: `the body cannot be unpacked: ${Thrown.messageOf(cause)}` })
      })
    )
  )
}

const send = Effect.fnUntraced(function* (url: URL, host: string, addresses: ReadonlyArray<Address>) {
  const secure = url.protocol === "https:"
  const { request } = yield* Effect.promise(() => (secure ? import("node:https") : import("node:http")))
  const zlib = yield* Effect.promise(() => import("node:zlib"))
  const limit = { maxOutputLength: maxBodyBytes }
  const unpack = (bytes: Uint8Array, encoding: string): Uint8Array => {
    switch (encoding.trim().toLowerCase()) {
      case "gzip":
      case "x-gzip":
        return zlib.gunzipSync(bytes, limit)
      case "deflate":
        return zlib.inflateSync(bytes, limit)
      case "br":
        return zlib.brotliDecompressSync(bytes, limit)
      default:
        return bytes
    }
  }
  const pinned: LookupFunction = (_name, options, callback) => {
    const [first = { address: "", family: 4 }] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
  return yield* Effect.callback<PinnedResponse, CallFailed>((resume) => {
    const options: RequestOptions = {
      method: "GET",
      hostname: host,
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      lookup: pinned,
      agent: false,
      headers: {
        accept: "text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5",
        "accept-encoding": "identity",
        "user-agent": "cow"
      },
      ...(url.username === "" && url.password === ""
        ? {}
        : { auth: `${decoded(url.username)}:${decoded(url.password)}` })
    }
    const sent = request(options, (response) => collect(response, resume, unpack))
    sent.on("error", (cause) =>
      resume(
        Effect.fail(new CallFailed({ message: `cannot fetch from ${url.host}: ${Thrown.messageOf(cause)}` }))
      )
    )
    sent.end()
    return Effect.sync(() => sent.destroy())
  })
})

/** Fails with `CallDenied`, before any connection, when one of the host's addresses may not be reached. */
export const get = Effect.fn("PinnedRequest.get")(function* (url: URL, allowPrivate: boolean) {
  const { addresses, host } = yield* checked(url, allowPrivate)
  return yield* send(url, host, addresses)
})
