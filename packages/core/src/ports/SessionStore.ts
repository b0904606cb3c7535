/**
 * The port to stored conversations. A session's whole state is here, so that any process can continue it. Each write
 * names the revision it is based on: who has not seen the last one is refused, so that no writer undoes another's.
 *
 * Who may write at all is decided by claims on runs (`RunStore`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Message } from "../model/Message.ts"
import * as Page from "../model/Page.ts"
import type { SessionSummary } from "../model/SessionSummary.ts"
import * as SessionTools from "../model/SessionTools.ts"

/** A session without its messages. Times are milliseconds since 1970. */
export const SessionInfo = Schema.Struct({
  id: Schema.String,
  /** Absolute path of the workspace it was started in. */
  workspace: Schema.String,
  /** The first words of its first message. */
  title: Schema.String,
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  messageCount: Schema.Number,
  /** 0 when it is created; each write adds 1. */
  revision: Schema.Number
})
export type SessionInfo = typeof SessionInfo.Type

/** Everything a run goes on from, as it stood at one revision. */
export interface SessionState {
  readonly revision: number
  readonly messages: ReadonlyArray<Message>
  readonly tools: SessionTools.SessionTools
  /** Of its beginning, where requests had to be shortened. */
  readonly summary: SessionSummary | null
}

export interface SessionWrite {
  /** The one the writer has seen last. */
  readonly revision: number
  /** Messages before this index stay as they are. */
  readonly keep: number
  /** In place of those from `keep` on. */
  readonly messages: ReadonlyArray<Message>
  /** Absent: they stay as they are. */
  readonly tools?: SessionTools.SessionTools
  /** Absent: it stays as it is. */
  readonly summary?: SessionSummary | null
}

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  id: Schema.String
}) {}

/** Somebody else has written since. */
export class SessionConflict extends Schema.TaggedError<SessionConflict>()("SessionConflict", {
  id: Schema.String,
  expected: Schema.Number,
  found: Schema.Number
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
    /** For who goes on with it. */
    readonly load: (id: string) => Effect.Effect<SessionState, SessionNotFound | SessionStoreError>
    /** For who only reads it. */
    readonly messages: (
      id: string
    ) => Effect.Effect<ReadonlyArray<Message>, SessionNotFound | SessionStoreError>
    /** Does nothing when the session exists. */
    readonly create: (
      session: Pick<SessionInfo, "id" | "workspace">
    ) => Effect.Effect<void, SessionStoreError>
    /**
     * All of it or nothing; gives the new revision. Fails with `SessionConflict` when the session is not at the
     * writer's revision any more: nothing changes then.
     */
    readonly write: (
      id: string,
      write: SessionWrite
    ) => Effect.Effect<number, SessionNotFound | SessionConflict | SessionStoreError>
    /** With its messages, runs excepted. */
    readonly remove: (id: string) => Effect.Effect<void, SessionNotFound | SessionStoreError>
  }
>()("@cow/core/SessionStore") {
  /** In this process only. */
  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => {
    const sessions = new Map<string, Omit<SessionState, "revision"> & { readonly info: SessionInfo }>()
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
      load: (id) =>
        Effect.map(find(id), ({ info, messages, summary, tools }) => ({
          revision: info.revision,
          messages,
          tools,
          summary
        })),
      messages: (id) => Effect.map(find(id), ({ messages }) => messages),
      create: ({ id, workspace }) =>
        Effect.map(now, (time) => {
          if (sessions.has(id)) return
          const times = { createdAt: time, updatedAt: time }
          const info = { id, workspace, title: "", ...times, messageCount: 0, revision: 0 }
          sessions.set(id, { info, messages: [], tools: SessionTools.none, summary: null })
        }),
      write: Effect.fnUntraced(function* (id, write) {
        const updatedAt = yield* now
        const { info, messages, summary, tools } = yield* find(id)
        if (write.revision !== info.revision)
          return yield* new SessionConflict({ id, expected: write.revision, found: info.revision })
        const next = [...messages.slice(0, Math.max(write.keep, 0)), ...write.messages]
        const title = info.title || sessionTitle(next)
        const revision = info.revision + 1
        sessions.set(id, {
          info: { ...info, title, updatedAt, messageCount: next.length, revision },
          messages: next,
          tools: write.tools ?? tools,
          summary: write.summary === undefined ? summary : write.summary
        })
        return revision
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
