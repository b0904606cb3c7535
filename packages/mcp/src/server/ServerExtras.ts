/**
 * What a server offers beside tools: resources, which are read, and prompts, which are texts with blanks to fill in. As
 * a model is told of them; the tools that ask are `ExtraTools`. Pure but for the requests handed in.
 */
import type { Message, ToolResult } from "@cow/core"
import { Excerpt } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"
import type { Connection, OtherMethod } from "../connection/Connection.ts"
import * as CallResult from "./CallResult.ts"

export interface Extras {
  readonly resources: boolean
  readonly prompts: boolean
}

export const none: Extras = { resources: false, prompts: false }

export type Ask<E> = (
  method: OtherMethod,
  params: Readonly<Record<string, Schema.Json>>
) => Effect.Effect<unknown, E>

const probeSeconds = "10 seconds"
const maxPages = 100
const maxDescription = 300

const keys = {
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts"
} as const
export type ListMethod = keyof typeof keys

/** Every page; a list that repeats its cursor ends there. */
export const list = <E>(
  ask: Ask<E>,
  method: ListMethod
): Effect.Effect<ReadonlyArray<Message.JsonObject>, E> =>
  Effect.gen(function* () {
    const found: Array<Message.JsonObject> = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const answer = yield* ask(method, cursor === undefined ? {} : { cursor })
      if (!isObject(answer)) break
      const items = answer[keys[method]]
      if (Array.isArray(items)) found.push(...items.filter(isObject))
      const next = answer.nextCursor
      if (typeof next !== "string" || next === "" || seen.has(next)) break
      seen.add(next)
      cursor = next
    }
    return found
  })

/** Whether there is anything of what the server says it has. A server that fails here has nothing. */
export const probe = ({ offers, request }: Pick<Connection, "offers" | "request">): Effect.Effect<Extras> => {
  const has = (isOffered: boolean, ...methods: ReadonlyArray<ListMethod>) =>
    isOffered
      ? Effect.forEach(methods, (method) => list(request, method)).pipe(
          Effect.map((lists) => lists.some((items) => items.length > 0)),
          Effect.timeoutOption(probeSeconds),
          Effect.map(Option.getOrElse(() => false)),
          Effect.catch((error) => Effect.as(Effect.logDebug(`${methods[0]} failed: ${error.message}`), false))
        )
      : Effect.succeed(false)
  return Effect.all({
    resources: Effect.zipWith(
      has(offers.resources, "resources/list"),
      has(offers.resources, "resources/templates/list"),
      (left, right) => left || right
    ),
    prompts: has(offers.prompts, "prompts/list")
  })
}

const word = (value: Schema.Json | undefined): string => (typeof value === "string" ? value.trim() : "")

const described = (value: Schema.Json | undefined): string => {
  const line = Excerpt.head(word(value).replace(/\s+/g, " "), maxDescription)
  return line === "" ? "" : `: ${line}`
}

/** `file:///a.txt (text/plain) Notes: what it is`. */
export const resourceLine = ({
  description,
  mimeType,
  name,
  title,
  uri,
  uriTemplate
}: Message.JsonObject): string =>
  [
    word(uri) || word(uriTemplate),
    ...(word(mimeType) === "" ? [] : [`(${word(mimeType)})`]),
    word(title) || word(name)
  ]
    .filter((part) => part !== "")
    .join(" ") + described(description)

/** `review(code, language?): what it is`. */
export const promptLine = ({ arguments: given, description, name }: Message.JsonObject): string => {
  const blanks = (Array.isArray(given) ? given : []).filter(isObject)
  const names = blanks.map((blank) => `${word(blank.name)}${blank.required === true ? "" : "?"}`)
  return `${word(name)}(${names.join(", ")})${described(description)}`
}

/** The answer to `resources/read`. */
export const resourceContent = (answer: unknown): ToolResult.ToolResult => {
  const contents = isObject(answer) && Array.isArray(answer.contents) ? answer.contents : []
  return CallResult.decode({
    content: contents.map((resource) =>
      isObject(resource) && typeof resource.blob === "string" && word(resource.mimeType).startsWith("image/")
        ? { type: "image", data: resource.blob, mimeType: word(resource.mimeType) }
        : { type: "resource", resource }
    )
  })
}

/** The answer to `prompts/get`: each message under the name of its role. */
export const promptContent = (answer: unknown): ToolResult.ToolResult => {
  const messages = isObject(answer) && Array.isArray(answer.messages) ? answer.messages : []
  return CallResult.decode({
    content: messages.filter(isObject).flatMap(({ content, role }) => {
      const blocks = Array.isArray(content) ? content : [content ?? null]
      return [{ type: "text", text: `${word(role)}:` }, ...blocks]
    })
  })
}
