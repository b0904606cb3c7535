/** `cow session …`: stored conversations. */
import { type Message, type SessionInfo, SessionStore } from "@cow/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { noSuch } from "../command/NoSuch.ts"
import * as App from "../layers/App.ts"
import * as PageFlags from "../run/PageFlags.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const document = (info: SessionInfo) => ({
  id: info.id,
  title: info.title,
  workspace: info.workspace,
  created_at: iso(info.createdAt),
  updated_at: iso(info.updatedAt),
  messages: info.messageCount
})

/** Near names are looked for among the newest. */
const maxLookedAt = 1_000

const notFound = {
  SessionNotFound: ({ id }: { readonly id: string }) =>
    Effect.flatMap(SessionStore, (store) => store.list({ limit: maxLookedAt })).pipe(
      Effect.flatMap(({ items }) =>
        Effect.fail(
          noSuch(
            "session",
            id,
            items.map((info) => info.id)
          )
        )
      )
    )
}

export const list = Effect.fnUntraced(function* (input: PageFlags.PageFlags & { readonly json: boolean }) {
  const output = yield* Output
  const request = yield* PageFlags.request(input)
  const { items, next } = yield* Effect.flatMap(SessionStore, (store) => store.list(request))
  if (input.json) return yield* output.json({ sessions: items.map(document), next: PageFlags.nextText(next) })
  const rows = items.map((info) => [
    info.id,
    iso(info.updatedAt).slice(0, 16),
    String(info.messageCount),
    info.title
  ])
  yield* output.text(Table.render(["ID", "CHANGED", "MESSAGES", "TITLE"], rows))
  yield* PageFlags.tellNext("cow session list", next)
}, Effect.provide(App.sessions))

const whole = Effect.fnUntraced(function* (id: string) {
  const store = yield* SessionStore
  return { info: yield* store.get(id), messages: yield* store.messages(id) }
})

/** A message for people: texts as they are, calls and results in a line. */
const told = (message: Message.Message): string => {
  const lines = message.parts.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [part.text]
      case "tool_call":
        return [`→ ${part.name} ${JSON.stringify(part.input)}`]
      case "tool_result":
        return [
          `← ${part.name} ${part.status}: ${part.content.map((one) => (one.type === "text" ? one.text : `(${one.mediaType})`)).join(" ")}`
        ]
      default:
        return []
    }
  })
  return lines.length === 0 ? "" : `${message.role}:\n${lines.join("\n")}\n`
}

export const show = Effect.fnUntraced(
  function* (input: { readonly id: string; readonly json: boolean }) {
    const output = yield* Output
    const { info, messages } = yield* whole(input.id)
    if (input.json) return yield* output.json({ ...document(info), transcript: messages })
    const head = `${info.id}  ${info.title}\n${info.workspace}  ${iso(info.updatedAt)}\n`
    yield* output.text([head, ...messages.map(told).filter((text) => text !== "")].join("\n"))
  },
  Effect.catchTags(notFound),
  Effect.provide(App.sessions)
)

/** One message a line, as they are stored. */
export const exportLines = Effect.fnUntraced(
  function* (input: { readonly id: string }) {
    const output = yield* Output
    const { messages } = yield* whole(input.id)
    yield* output.jsonLines(messages)
  },
  Effect.catchTags(notFound),
  Effect.provide(App.sessions)
)

export const remove = Effect.fnUntraced(
  function* (input: { readonly id: string }) {
    yield* Effect.flatMap(SessionStore, (store) => store.remove(input.id))
    yield* Effect.flatMap(Output, (output) => output.note(`deleted session ${input.id}`))
  },
  Effect.catchTags(notFound),
  Effect.provide(App.sessions)
)
