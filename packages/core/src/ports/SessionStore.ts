/**
 * The port to stored conversations. A session has one writer at a time; its whole state is here, so that any
 * process can continue it. Runs and their approvals are `RunStore`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Message } from "../model/Message.ts"
import * as Page from "../model/Page.ts"

/** A session without its messages. Times are milliseconds since 1970. */
export const SessionInfo = Schema.Struct({
  id: Schema.String,
  /** Absolute path of the workspace it was started in. */
  workspace: Schema.String,
  /** The first words of its first message. */
  title: Schema.String,
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  messageCount: Schema.Number
})
export type SessionInfo = typeof SessionInfo.Type

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  id: Schema.String
}) {}

export class SessionStoreError extends Schema.TaggedError<SessionStoreError>()("SessionStoreError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export interface SessionList extends Page.PageRequest {
  /** Absolute path. Absent: sessions of every workspace. */
  readonly workspace?: string
}

export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** The last changed first; one that changes while pages are turned moves to the front. */
    readonly list: (request?: SessionList) => Effect.Effect<Page.Page<SessionInfo>, SessionStoreError>
    readonly get: (id: string) => Effect.Effect<SessionInfo, SessionNotFound | SessionStoreError>
    readonly messages: (
      id: string
    ) => Effect.Effect<ReadonlyArray<Message>, SessionNotFound | SessionStoreError>
    /** Does nothing when the session exists. */
    readonly create: (
      session: Pick<SessionInfo, "id" | "workspace">
    ) => Effect.Effect<void, SessionStoreError>
    /** Puts the messages in place of those from index `keep` on; what stands before stays as it is. */
    readonly write: (
      id: string,
      keep: number,
      messages: ReadonlyArray<Message>
    ) => Effect.Effect<void, SessionNotFound | SessionStoreError>
    /** With its messages, runs excepted. */
    readonly remove: (id: string) => Effect.Effect<void, SessionNotFound | SessionStoreError>
  }
>()("@cow/core/SessionStore") {
  /** In this process only. */
  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => {
    const sessions = new Map<string, { info: SessionInfo; messages: ReadonlyArray<Message> }>()
    const find = (id: string) =>
      Effect.suspend(() => {
        const found = sessions.get(id)
        return found === undefined ? Effect.fail(new SessionNotFound({ id })) : Effect.succeed(found)
      })
    const now = Effect.clockWith((clock) => clock.currentTimeMillis)
    return SessionStore.of({
      list: (request = {}) =>
        Effect.sync(() => {
          const { cursor, workspace } = request
          const found = [...sessions.values()]
            .map(({ info }) => info)
            .filter((info) => workspace === undefined || info.workspace === workspace)
            .sort((left, right) => inOrder(cursorOf(left), cursorOf(right)))
            .filter((info) => cursor === undefined || inOrder(cursor, cursorOf(info)) < 0)
          return Page.make(found.slice(0, Page.toRead(request)), request, cursorOf)
        }),
      get: (id) => Effect.map(find(id), ({ info }) => info),
      messages: (id) => Effect.map(find(id), ({ messages }) => messages),
      create: ({ id, workspace }) =>
        Effect.map(now, (time) => {
          const info = { id, workspace, title: "", createdAt: time, updatedAt: time, messageCount: 0 }
          if (!sessions.has(id)) sessions.set(id, { info, messages: [] })
        }),
      write: Effect.fnUntraced(function* (id, keep, added) {
        const updatedAt = yield* now
        const { info, messages } = yield* find(id)
        const next = [...messages.slice(0, Math.max(keep, 0)), ...added]
        const title = info.title || sessionTitle(next)
        sessions.set(id, { info: { ...info, title, updatedAt, messageCount: next.length }, messages: next })
      }),
      remove: (id) => Effect.map(find(id), () => void sessions.delete(id))
    })
  })
}

const cursorOf = ({ id, updatedAt }: SessionInfo): Page.Cursor => ({ at: updatedAt, id })

/** Newest first; of the same time, by id. */
const inOrder = (left: Page.Cursor, right: Page.Cursor): number =>
  right.at - left.at || (left.id === right.id ? 0 : left.id < right.id ? -1 : 1)

/** What a session is called in lists: its first user text, in one line of at most 60 characters. */
export const sessionTitle = (messages: ReadonlyArray<Message>): string => {
  for (const message of messages)
    for (const part of message.role === "user" ? message.parts : [])
      if (part.type === "text" && part.text.trim() !== "")
        return [...part.text.trim().replace(/\s+/g, " ")].slice(0, 60).join("")
  return ""
}
