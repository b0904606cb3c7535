/**
 * The port through which packages are downloaded, and its layer: https only, every hop of a redirect judged anew,
 * public addresses only, at most so many bytes and seconds. What the bytes are is not its concern.
 *
 * This is the layer for node:dns, loaded with the first download, and `fetch`.
 */
import { NetAddress } from "@cow/core"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type InstallRefused, refuse } from "../InstallRefused.ts"
import { maxBytes } from "../package/PackageFile.ts"

export interface DownloadRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The two things a download needs of the network; a test hands in its own. */
export interface Network {
  /** All addresses of a host name; none where it cannot be looked up. */
  readonly addressesOf: (host: string) => Promise<ReadonlyArray<string>>
  /** Follows no redirect. */
  readonly send: (request: DownloadRequest, signal: AbortSignal) => Promise<Response>
}

const internet: Network = {
  // Where only a proxy knows the names, there is nothing to look up and the proxy decides.
  addressesOf: async (host) => {
    const { lookup } = await import("node:dns/promises")
    return lookup(host, { all: true }).then(
      (found) => found.map(({ address }) => address),
      () => []
    )
  },
  send: ({ headers, url }, signal) =>
    fetch(url, { redirect: "manual", signal, headers: { "user-agent": "cow", ...headers } })
}

const maxRedirects = 5
const limit: Duration.Input = "60 seconds"

const bad = (message: string) => refuse("bad_source", message)

export class SkillDownloads extends Context.Service<
  SkillDownloads,
  {
    /** The whole body. Fails with `bad_source`, and with `zip_too_large` over 25 MiB. */
    readonly get: (request: DownloadRequest) => Effect.Effect<Uint8Array, InstallRefused>
  }
>()("@cow/skills/SkillDownloads") {
  static readonly layerOver = (network: Network): Layer.Layer<SkillDownloads> =>
    Layer.sync(SkillDownloads, () => SkillDownloads.of({ get: get(network) }))

  static readonly layer: Layer.Layer<SkillDownloads> = SkillDownloads.layerOver(internet)
}

/** TLS proves the name afterwards, so an address that changes between this look and the connection gains nothing. */
const judge = Effect.fnUntraced(function* (network: Network, url: URL) {
  if (url.protocol !== "https:") return yield* bad(`${url.href} is not https:`)
  if (url.username !== "" || url.password !== "")
    return yield* bad("an address must hold no user and password")
  const host = url.hostname
  const names = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i
  const addresses = NetAddress.isAddress(host)
    ? [host]
    : yield* Effect.promise(() => network.addressesOf(host))
  if (names.test(host) || addresses.some((address) => NetAddress.reach(address) !== "Public"))
    return yield* bad(`${host} is on this machine or its network, not on the internet`)
})

const get = (network: Network) =>
  Effect.fn("SkillDownloads.get")(function* (request: DownloadRequest) {
    const load = Effect.gen(function* () {
      let url = yield* parsed(request.url)
      for (let hop = 0; hop <= maxRedirects; hop++) {
        yield* judge(network, url)
        const answer = yield* fetchOne(network, { ...request, url: url.href })
        if (answer._tag === "Body") return answer.bytes
        url = yield* parsed(answer.location, url)
      }
      return yield* bad(`more than ${maxRedirects} redirects from ${request.url}`)
    })
    return yield* Effect.timeoutOrElse(load, {
      duration: limit,
      orElse: () => Effect.fail(bad(`the download took longer than 60 seconds: ${request.url}`))
    })
  })

const parsed = (text: string, base?: URL) =>
  URL.canParse(text, base?.href)
    ? Effect.succeed(new URL(text, base?.href))
    : Effect.fail(bad(`"${text}" is no address`))

type Answer =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  | { readonly _tag: "Redirect"; readonly location: string }

class Answered extends Error {
  constructor(readonly refusal: InstallRefused) {
    super(refusal.message)
  }
}

const fetchOne = (network: Network, request: DownloadRequest): Effect.Effect<Answer, InstallRefused> =>
  Effect.tryPromise({
    try: async (signal): Promise<Answer> => {
      const response = await network.send(request, signal)
      const location = response.headers.get("location")
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel()
        return { _tag: "Redirect", location }
      }
      if (!response.ok) {
        await response.body?.cancel()
        throw new Answered(bad(`${request.url} answered ${response.status}`))
      }
      return { _tag: "Body", bytes: await bodyOf(request.url, response) }
    },
    catch: (cause) =>
      cause instanceof Answered
        ? cause.refusal
        : bad(`${request.url} cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

/** Stops reading at the first byte too many. */
const bodyOf = async (url: string, response: Response): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let total = 0
  for await (const chunk of response.body ?? []) {
    total += chunk.byteLength
    if (total > maxBytes)
      throw new Answered(refuse("zip_too_large", `${url} sends more than ${maxBytes} bytes`))
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
