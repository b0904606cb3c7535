/**
 * The layer of core's `SessionStore` in `state.db`. A message is a row, so that writing a turn touches only the
 * turn's rows.
 */
import {
  Message,
  SessionConflict,
  SessionInfo,
  type SessionList,
  SessionNotFound,
  SessionStore,
  SessionStoreError,
  SessionSummary,
  SessionTools,
  type SessionWrite,
  StateDb,
  sessionTitle
} from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as OwnedTables from "./OwnedTables.ts"
import * as StoredRow from "./StoredRow.ts"

const migrations = {
  owner: "sessions",
  steps: [
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      workspace TEXT NOT NULL,
      title TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_time ON sessions (updated_at DESC, id);
    CREATE TABLE messages (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      role TEXT NOT NULL,
      body TEXT NOT NULL,
      UNIQUE (session_id, position)
    ) STRICT;`,
    "CREATE INDEX sessions_by_workspace ON sessions (workspace, updated_at DESC, id);",
    `ALTER TABLE sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN tools TEXT NOT NULL DEFAULT '{"sent":[],"chosen":[]}';`,
    "ALTER TABLE sessions ADD COLUMN summary TEXT NOT NULL DEFAULT 'null';"
  ]
}

const columns = `id, workspace, title, created_at AS createdAt, updated_at AS updatedAt, revision,
  (SELECT count(*) FROM messages WHERE session_id = sessions.id) AS messageCount`

const Body = Schema.fromJsonString(Message.Message)
const encode = Schema.encodeSync(Body)

const Tools = Schema.fromJsonString(SessionTools.SessionTools)
const encodeTools = Schema.encodeSync(Tools)

const Summary = Schema.fromJsonString(Schema.NullOr(SessionSummary))
const encodeSummary = Schema.encodeSync(Summary)

/** Keeps the place of a message whose row was damaged, because others are counted by their place. */
const lost = (role: unknown): Message.Message => {
  const notice = "(this message could not be read from the store)"
  return role === "assistant" ? Message.assistantText(notice) : Message.userText(notice)
}

const make = Effect.gen(function* () {
  const db = yield* StateDb

  const using = OwnedTables.make(
    db,
    migrations,
    (cause) => new SessionStoreError({ message: cause.message, cause })
  )

  const exists = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* db.all("SELECT title, revision, tools, summary FROM sessions WHERE id = ?", [id])
    return row === undefined ? yield* new SessionNotFound({ id }) : row
  })

  const get = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* db.all(`SELECT ${columns} FROM sessions WHERE id = ?`, [id])
    if (row === undefined) return yield* new SessionNotFound({ id })
    const info = yield* StoredRow.read(SessionInfo, row, `session ${id}`)
    if (Option.isSome(info)) return info.value
    return yield* new SessionStoreError({ message: `session ${id} cannot be read`, cause: row })
  })

  const messages = Effect.fnUntraced(function* (id: string) {
    yield* exists(id)
    const rows = yield* db.all(
      "SELECT position, role, body FROM messages WHERE session_id = ? ORDER BY position",
      [id]
    )
    return yield* Effect.forEach(rows, ({ body, position, role }) =>
      Effect.map(
        StoredRow.read(Body, body, `message ${position} of session ${id}`),
        Option.getOrElse(() => lost(role))
      )
    )
  })

  /** All of one moment: nobody writes between the questions. */
  const load = Effect.fnUntraced(function* (id: string) {
    const { revision, summary, tools } = yield* exists(id)
    const known = yield* StoredRow.read(Tools, tools, `what session ${id} keeps of its tools`)
    const summed = yield* StoredRow.read(Summary, summary, `the summary of session ${id}`)
    return {
      revision: Number(revision),
      messages: yield* messages(id),
      tools: Option.getOrElse(known, () => SessionTools.none),
      summary: Option.getOrElse(summed, () => null)
    }
  })

  const write = Effect.fnUntraced(function* (id: string, { keep, messages: added, ...based }: SessionWrite) {
    const { revision, title } = yield* exists(id)
    const found = Number(revision)
    if (found !== based.revision) return yield* new SessionConflict({ id, expected: based.revision, found })
    const [counted] = yield* db.all("SELECT count(*) AS count FROM messages WHERE session_id = ?", [id])
    const from = Math.min(Math.max(keep, 0), Number(counted?.count))
    yield* db.run("DELETE FROM messages WHERE session_id = ? AND position >= ?", [id, from])
    for (const [at, message] of added.entries())
      yield* db.run("INSERT INTO messages (session_id, position, role, body) VALUES (?, ?, ?, ?)", [
        id,
        from + at,
        message.role,
        encode(message)
      ])
    // Without a title no message before these has a text of the user's.
    const named = title === "" ? sessionTitle(added) : title
    const time = yield* Clock.currentTimeMillis
    yield* db.run(
      `UPDATE sessions SET title = ?, updated_at = ?, revision = ?, tools = coalesce(?, tools),
       summary = coalesce(?, summary) WHERE id = ?`,
      [
        named ?? "",
        time,
        found + 1,
        based.tools === undefined ? null : encodeTools(based.tools),
        based.summary === undefined ? null : encodeSummary(based.summary),
        id
      ]
    )
    return found + 1
  })

  const list = Effect.fnUntraced(function* (request: SessionList = {}) {
    const { cursor, workspace } = request
    const { params, sql } = StoredRow.where(
      workspace === undefined ? null : ["workspace = ?", workspace],
      cursor === undefined
        ? null
        : ["(updated_at < ? OR (updated_at = ? AND id > ?))", cursor.at, cursor.at, cursor.id]
    )
    const rows = yield* db.all(
      `SELECT ${columns} FROM sessions ${sql} ORDER BY updated_at DESC, id LIMIT ?`,
      [...params, StoredRow.limit(request)]
    )
    return yield* StoredRow.page(SessionInfo, rows, request, {
      what: ({ id }) => `session ${id}`,
      cursorOf: ({ id, updatedAt }) => ({ at: Number(updatedAt), id: String(id) })
    })
  })

  return SessionStore.of({
    list: (request) => using(list(request)),
    get: (id) => using(get(id)),
    load: (id) => using(db.transaction(load(id))),
    messages: (id) => using(messages(id)),
    create: ({ id, workspace }) =>
      using(
        Effect.flatMap(Clock.currentTimeMillis, (time) =>
          Effect.asVoid(
            db.run(
              `INSERT INTO sessions (id, workspace, title, created_at, updated_at) VALUES (?, ?, '', ?, ?)
               ON CONFLICT (id) DO NOTHING`,
              [id, workspace, time, time]
            )
          )
        )
      ),
    write: (id, given) => using(db.transaction(write(id, given))),
    remove: (id) =>
      using(
        Effect.flatMap(db.run("DELETE FROM sessions WHERE id = ?", [id]), (removed) =>
          removed === 0 ? Effect.fail(new SessionNotFound({ id })) : Effect.void
        )
      )
  })
})

export const layer: Layer.Layer<SessionStore, never, StateDb> = Layer.effect(SessionStore, make)
