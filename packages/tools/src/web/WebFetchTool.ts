/**
 * `web_fetch`: one page as text. Where a request may go is core's `NetAddress`, how it is held to that `PinnedRequest`,
 * how bytes become text `PageCharset` and HTML becomes Markdown `PageText`.
 */
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as FileKind from "../files/FileKind.ts"
import * as WorkThread from "../thread/WorkThread.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { CallDenied, CallFailed, failed } from "../tool/CallFailure.ts"
import * as ShownImage from "../tool/ShownImage.ts"
import * as PageCharset from "./PageCharset.ts"
import { get, type PinnedResponse } from "./PinnedRequest.ts"

const limitSeconds = 30
const maxRedirects = 10

const Input = Schema.Struct({
  url: Schema.String.annotate({ description: "The address, beginning with http:// or https://." })
})

/** An address as it may be shown: without user and password. */
const shown = (url: URL): string => {
  const bare = new URL(url)
  bare.username = ""
  bare.password = ""
  return bare.href
}

const parseUrl = Effect.fnUntraced(function* (given: string, base?: URL) {
  const url = Option.getOrUndefined(Option.liftThrowable(() => new URL(given, base))())
  // The text itself may hold a password and is not repeated.
  if (url === undefined)
    return yield* failed("web_fetch: this is no address of a page, such as https://example.org/")
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return yield* new CallDenied({ message: `web_fetch takes http and https only, not ${url.protocol}` })
  return url
})

const isText = (type: string): boolean =>
  /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-ndjson|toml)$/.test(type)

const readPage = Effect.fnUntraced(function* (url: URL, html: string) {
  const page = yield* Effect.mapError(
    WorkThread.run("page", { html, address: url.href }),
    ({ message }) => new CallFailed({ message: `the page ${shown(url)} cannot be read as text: ${message}` })
  )
  const rows = page.title === "" ? [shown(url)] : [page.title, "", shown(url)]
  const text = page.text === "" ? "[the page has no text]" : page.text
  const rest =
    page.unread === 0
      ? []
      : ["", `[the page goes on: its last ${page.unread} of ${html.length} characters of HTML were not read]`]
  return ToolResult.ok([...rows, "", text, ...rest].join("\n"))
})

const present = (url: URL, { body, contentType }: PinnedResponse) => {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? ""
  const kind = FileKind.detect(body.subarray(0, FileKind.sniffBytes))
  if (kind._tag === "Image" && !ShownImage.isTooLarge(body.length))
    return Effect.succeed(ShownImage.result(kind.mediaType, body, shown(url)))
  const isBinary = kind._tag !== "Text" && !(kind._tag === "Binary" && PageCharset.isWide(body, contentType))
  if (isBinary || (type !== "" && !isText(type) && !/html/.test(type)))
    return failed(
      `${shown(url)} is ${type === "" ? "a binary file" : type} of ${FileKind.size(body.length)}; it has no text to show`
    )
  const text = PageCharset.decode(body, contentType)
  const isHtml = /html/.test(type) || (type === "" && /^\s*<(?:!doctype html|html)/i.test(text))
  if (isHtml) return readPage(url, text)
  return Effect.succeed(ToolResult.ok(text === "" ? `[${shown(url)} is empty]` : text))
}

export const make = ({ allowPrivateFetch }: BuiltinSettings) =>
  Effect.succeed(
    BuiltinTool.make({
      name: "web_fetch",
      description: "Fetches one page by http or https: HTML as Markdown with its links, other text as it is.",
      input: Input,
      parallelSafe: true,
      mildest: BuiltinTool.reads,
      run: Effect.fn("WebFetchTool.run")(
        function* ({ url: given }) {
          let url = yield* parseUrl(given)
          for (let redirects = 0; redirects <= maxRedirects; redirects++) {
            const response = yield* get(url, allowPrivateFetch)
            const isRedirect =
              [301, 302, 303, 307, 308].includes(response.status) && response.location !== undefined
            if (!isRedirect) {
              if (response.status >= 200 && response.status < 300) return yield* present(url, response)
              return yield* failed(
                `${shown(url)} answered ${response.status} ${response.statusText}`.trimEnd()
              )
            }
            url = yield* parseUrl(response.location ?? "", url)
          }
          return yield* failed(
            `web_fetch: more than ${maxRedirects} redirects, the last one to ${shown(url)}`
          )
        },
        Effect.timeoutOrElse({
          duration: `${limitSeconds} seconds`,
          orElse: () =>
            Effect.succeed(ToolResult.timeout(`web_fetch: no whole answer within ${limitSeconds} s`))
        })
      )
    })
  )
