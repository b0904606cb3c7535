/**
 * The layer of core's `RunStore` in `state.db`. A transition is one UPDATE that names the state it leaves, so of
 * two processes one wins.
 *
 * A run that is queued or running has an owner, the process that works on it (`RunOwner`); when that is dead,
 * `reapInterrupted` ends the run.
 */
import {
  AgentEvent,
  IllegalTransition,
  type Row,
  Run,
  type RunChange,
  type RunList,
  RunNotFound,
  RunStore,
  RunStoreError,
  type SqlValue,
  StateDb
} from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as OwnedTables from "./OwnedTables.ts"
import * as RunOwner from "./RunOwner.ts"
import * as StoredRow from "./StoredRow.ts"

const migrations = {
  owner: "runs",
  steps: [
    `CREATE TABLE runs (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      sessionId TEXT NOT NULL,
      status TEXT NOT NULL,
      model TEXT NOT NULL,
      persona TEXT NOT NULL,
      permission TEXT NOT NULL,
      workspace TEXT NOT NULL,
      maxSteps INTEGER NOT NULL,
      steps INTEGER NOT NULL,
      startsAt INTEGER NOT NULL,
      usage TEXT NOT NULL,
      pending TEXT,
      error TEXT,
      createdAt INTEGER NOT NULL,
      updatedAt INTEGER NOT NULL,
      owner TEXT
    ) STRICT;
    CREATE INDEX runs_by_session ON runs (sessionId);
    CREATE INDEX runs_by_status ON runs (status);
    CREATE TABLE run_events (
      run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      sequence INTEGER NOT NULL,
      event TEXT NOT NULL,
      PRIMARY KEY (run_id, sequence)
    ) STRICT, WITHOUT ROWID;`,
    `ALTER TABLE runs ADD COLUMN restricted TEXT NOT NULL DEFAULT 'false';`
  ]
}

/** A run as its row holds it: a column a field, three of them JSON. */
const StoredRun = Schema.Struct({
  ...Run.Run.fields,
  restricted: Schema.fromJsonString(Schema.Boolean),
  usage: Schema.fromJsonString(Run.Run.fields.usage),
  pending: Schema.NullOr(Schema.fromJsonString(Run.PendingApproval))
})
const encode = Schema.encodeSync(StoredRun)
const columns = Object.keys(StoredRun.fields)

const StoredEvent = Schema.Struct({
  sequence: Schema.Number,
  event: Schema.fromJsonString(AgentEvent.AgentEvent)
})

const usageText = Schema.encodeSync(StoredRun.fields.usage)
const pendingText = Schema.encodeSync(StoredRun.fields.pending)

/** The columns that a change touches, with their new values. */
const changed = ({ error, pending, steps, usage }: RunChange): ReadonlyArray<[string, SqlValue]> => [
  ...(steps === undefined ? [] : [["steps", steps] satisfies [string, SqlValue]]),
  ...(usage === undefined ? [] : [["usage", usageText(usage)] satisfies [string, SqlValue]]),
  ...(pending === undefined ? [] : [["pending", pendingText(pending)] satisfies [string, SqlValue]]),
  ...(error === undefined ? [] : [["error", error] satisfies [string, SqlValue]])
]

/** Only a run that a process works on is owned. */
const ownerIn = (status: Run.RunStatus): string | null =>
  status === "queued" || status === "running" ? RunOwner.self() : null

const make = (db: StateDb["Service"]) => {
  const using = OwnedTables.make(
    db,
    migrations,
    (cause) => new RunStoreError({ message: cause.message, cause })
  )

  const fromRow = Effect.fnUntraced(function* (id: string, row: Row | undefined) {
    if (row === undefined) return yield* new RunNotFound({ id })
    const run = yield* StoredRow.read(StoredRun, row, `run ${id}`)
    if (Option.isSome(run)) return run.value
    return yield* new RunStoreError({ message: `run ${id} cannot be read`, cause: row })
  })

  const get = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* db.all(`SELECT ${columns.join(", ")} FROM runs WHERE id = ?`, [id])
    return yield* fromRow(id, row)
  })

  const create = Effect.fnUntraced(function* (run: Omit<Run.Run, "createdAt" | "updatedAt">) {
    const time = yield* Clock.currentTimeMillis
    const row: Record<string, SqlValue> = encode({ ...run, createdAt: time, updatedAt: time })
    const created = yield* db.run(
      `INSERT INTO runs (${columns.join(", ")}, owner) VALUES (${columns.map(() => "?").join(", ")}, ?)
       ON CONFLICT (id) DO NOTHING`,
      [...columns.map((column) => row[column] ?? null), ownerIn(run.status)]
    )
    if (created === 0)
      return yield* new RunStoreError({ message: `run ${run.id} exists already`, cause: run.id })
  })

  const transition = Effect.fnUntraced(function* (
    id: string,
    from: Run.RunStatus,
    to: Run.RunStatus,
    change: RunChange = {}
  ) {
    if (Run.canBecome(from, to)) {
      const time = yield* Clock.currentTimeMillis
      const values: ReadonlyArray<[string, SqlValue]> = [
        ...changed(change),
        ["status", to],
        ["owner", ownerIn(to)],
        ["updatedAt", time]
      ]
      const [row] = yield* db.all(
        `UPDATE runs SET ${values.map(([column]) => `${column} = ?`).join(", ")}
         WHERE id = ? AND status = ? RETURNING ${columns.join(", ")}`,
        [...values.map(([, value]) => value), id, from]
      )
      if (row !== undefined) return yield* fromRow(id, row)
    }
    const { status } = yield* get(id)
    return yield* new IllegalTransition({ id, from: status, to })
  })

  const list = Effect.fnUntraced(function* (request: RunList = {}) {
    const { cursor, sessionId, status } = request
    const { params, sql } = StoredRow.where(
      sessionId === undefined ? null : ["sessionId = ?", sessionId],
      status === undefined ? null : ["status = ?", status],
      cursor === undefined ? null : ["number < ?", cursor.at]
    )
    const rows = yield* db.all(
      `SELECT number, ${columns.join(", ")} FROM runs ${sql} ORDER BY number DESC LIMIT ?`,
      [...params, StoredRow.limit(request)]
    )
    return yield* StoredRow.page(StoredRun, rows, request, {
      what: ({ id }) => `run ${id}`,
      cursorOf: ({ id, number }) => ({ at: Number(number), id: String(id) })
    })
  })

  const append = Effect.fnUntraced(function* (id: string, event: AgentEvent.AgentEvent) {
    const [row] = yield* db.all(
      `INSERT INTO run_events (run_id, sequence, event)
       SELECT id, (SELECT coalesce(max(sequence), 0) + 1 FROM run_events WHERE run_id = id), ?
       FROM runs WHERE id = ? RETURNING sequence`,
      [AgentEvent.toLine(event), id]
    )
    return row === undefined ? yield* new RunNotFound({ id }) : Number(row.sequence)
  })

  const events = Effect.fnUntraced(function* (id: string, after: number) {
    const found = yield* db.all("SELECT 1 FROM runs WHERE id = ?", [id])
    if (found.length === 0) return yield* new RunNotFound({ id })
    const rows = yield* db.all(
      "SELECT sequence, event FROM run_events WHERE run_id = ? AND sequence > ? ORDER BY sequence",
      [id, after]
    )
    return yield* StoredRow.readAll(StoredEvent, rows, ({ sequence }) => `event ${sequence} of run ${id}`)
  })

  return RunStore.of({
    get: (id) => using(get(id)),
    list: (request) => using(list(request)),
    create: (run) => using(create(run)),
    transition: (id, from, to, change) => using(transition(id, from, to, change)),
    append: (id, event) => using(append(id, event)),
    events: (id, after) => using(events(id, after))
  })
}

export const layer: Layer.Layer<RunStore, never, StateDb> = Layer.effect(RunStore, Effect.map(StateDb, make))

/**
 * Ends, as `failed` with the error `interrupted`, every run whose process died while it worked on it, and gives
 * their ids. Runs of living processes and runs that wait for approval stay as they are.
 */
export const reapInterrupted: Effect.Effect<ReadonlyArray<string>, RunStoreError, StateDb> = Effect.gen(
  function* () {
    const db = yield* StateDb
    const using = OwnedTables.make(
      db,
      migrations,
      (cause) => new RunStoreError({ message: cause.message, cause })
    )
    return yield* using(
      Effect.gen(function* () {
        const rows = yield* db.all("SELECT id, owner FROM runs WHERE status IN ('queued', 'running')")
        const reaped: Array<string> = []
        for (const { id, owner } of rows) {
          if (typeof owner === "string" && RunOwner.isAlive(owner)) continue
          // Still in the same hands: nobody took it up in between.
          const ended = yield* db.run(
            `UPDATE runs SET status = 'failed', error = 'interrupted', pending = NULL, owner = NULL, updatedAt = ?
             WHERE id = ? AND owner IS ? AND status IN ('queued', 'running')`,
            [yield* Clock.currentTimeMillis, id ?? null, owner ?? null]
          )
          if (ended > 0) reaped.push(String(id))
        }
        return reaped
      })
    )
  }
)
