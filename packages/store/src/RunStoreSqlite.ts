/**
 * The layer of core's `RunStore` in `state.db`. A transition is one UPDATE that names the state it leaves, so of
 * two processes one wins; a run is created and its session taken in one transaction.
 *
 * An owner is gone when its lease has run out, and at once when it was a process of this machine that has ended
 * (`ProcessOwner`).
 */
import {
  AgentEvent,
  ClaimLost,
  IllegalTransition,
  interrupted,
  type Row,
  Run,
  type RunChange,
  type RunList,
  RunNotFound,
  RunOwner,
  RunStore,
  RunStoreError,
  SessionBusy,
  type SqlValue,
  StateDb
} from "@cow/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as OwnedTables from "./OwnedTables.ts"
import * as ProcessOwner from "./ProcessOwner.ts"
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
    `ALTER TABLE runs ADD COLUMN restricted TEXT NOT NULL DEFAULT 'false';`,
    "ALTER TABLE runs ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE runs ADD COLUMN parent TEXT;"
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
const changed = (change: RunChange): ReadonlyArray<[string, SqlValue]> => {
  const { error, pending, startsAt, steps, usage } = change
  return [
    ...(startsAt === undefined ? [] : [["startsAt", startsAt] satisfies [string, SqlValue]]),
    ...(steps === undefined ? [] : [["steps", steps] satisfies [string, SqlValue]]),
    ...(usage === undefined ? [] : [["usage", usageText(usage)] satisfies [string, SqlValue]]),
    ...(pending === undefined ? [] : [["pending", pendingText(pending)] satisfies [string, SqlValue]]),
    ...(error === undefined ? [] : [["error", error] satisfies [string, SqlValue]])
  ]
}

const Owner = Schema.fromJsonString(RunOwner.RunOwner)
const ownerText = Schema.encodeSync(Owner)
const ownerOf = (text: SqlValue | undefined): RunOwner.RunOwner | null =>
  Option.getOrNull(Schema.decodeUnknownOption(Owner)(text))

/** The columns of a claim that begins now. */
const claimed = (claim: RunOwner.Claim, time: number): ReadonlyArray<[string, SqlValue]> => [
  ["owner", ownerText(claim.owner)],
  ["lease_until", time + Duration.toMillis(claim.lease)]
]

/** What a state makes of the claim: a claim given is taken, none given leaves it, and nobody's state ends it. */
const released = (
  to: Run.RunStatus,
  claim: RunOwner.Claim | undefined,
  time: number
): ReadonlyArray<[string, SqlValue]> => {
  if (!Run.isWorkedOn(to))
    return [
      ["owner", null],
      ["lease_until", 0]
    ]
  return claim === undefined ? [] : claimed(claim, time)
}

/** In which somebody works on it. */
const workedOn = "status IN ('queued', 'running')"

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

  /** Ends the run of this row if its owner is gone. */
  const endIfGone = Effect.fnUntraced(function* ({ id, lease_until, owner, status }: Row, time: number) {
    if (status === "waiting_approval") return false
    const known = ownerOf(owner)
    if (known !== null && Number(lease_until) > time && !ProcessOwner.isGone(known)) return false
    // Still in the same hands: nobody renewed it or took it up in between.
    const ended = yield* db.run(
      `UPDATE runs SET status = 'failed', error = ?, pending = NULL, owner = NULL, lease_until = 0, updatedAt = ?
       WHERE id = ? AND owner IS ? AND lease_until = ? AND ${workedOn}`,
      [interrupted, time, id ?? null, owner ?? null, lease_until ?? null]
    )
    return ended > 0
  })

  const create = Effect.fnUntraced(function* (
    run: Omit<Run.Run, "createdAt" | "updatedAt">,
    claim?: RunOwner.Claim
  ) {
    const time = yield* Clock.currentTimeMillis
    const { sessionId } = run
    const open = Run.isFinal(run.status)
      ? []
      : yield* db.all(
          `SELECT id, status, owner, lease_until FROM runs
           WHERE sessionId = ? AND status IN ('queued', 'running', 'waiting_approval')`,
          [sessionId]
        )
    for (const row of open) {
      if (yield* endIfGone(row, time)) continue
      const { status } = yield* get(String(row.id)).pipe(Effect.catchTag("RunNotFound", Effect.die))
      return yield* new SessionBusy({ sessionId, runId: String(row.id), status, owner: ownerOf(row.owner) })
    }
    const row: Record<string, SqlValue> = encode({ ...run, createdAt: time, updatedAt: time })
    const values: ReadonlyArray<[string, SqlValue]> = [
      ...columns.map((column): [string, SqlValue] => [column, row[column] ?? null]),
      ...(claim === undefined || !Run.isWorkedOn(run.status) ? [] : claimed(claim, time))
    ]
    const created = yield* db.run(
      `INSERT INTO runs (${values.map(([column]) => column).join(", ")})
       VALUES (${values.map(() => "?").join(", ")}) ON CONFLICT (id) DO NOTHING`,
      values.map(([, value]) => value)
    )
    if (created === 0)
      return yield* new RunStoreError({ message: `run ${run.id} exists already`, cause: run.id })
  })

  const transition = Effect.fnUntraced(function* (
    id: string,
    from: Run.RunStatus,
    to: Run.RunStatus,
    change: RunChange = {},
    claim?: RunOwner.Claim
  ) {
    if (Run.canBecome(from, to)) {
      const time = yield* Clock.currentTimeMillis
      const values: ReadonlyArray<[string, SqlValue]> = [
        ...changed(change),
        ["status", to],
        ...released(to, claim, time),
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

  const renew = Effect.fnUntraced(function* (id: string, claim: RunOwner.Claim) {
    const time = yield* Clock.currentTimeMillis
    const renewed = yield* db.run(
      `UPDATE runs SET lease_until = ? WHERE id = ? AND owner = ? AND ${workedOn}`,
      [time + Duration.toMillis(claim.lease), id, ownerText(claim.owner)]
    )
    if (renewed === 0) return yield* new ClaimLost({ runId: id })
  })

  const endInterrupted = Effect.gen(function* () {
    const time = yield* Clock.currentTimeMillis
    const rows = yield* db.all(`SELECT id, status, owner, lease_until FROM runs WHERE ${workedOn}`)
    const gone = yield* Effect.filter(rows, (row) => endIfGone(row, time))
    return gone.map(({ id }) => String(id))
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
    create: (run, claim) => using(db.transaction(create(run, claim))),
    transition: (id, from, to, change, claim) => using(transition(id, from, to, change, claim)),
    renew: (id, claim) => using(renew(id, claim)),
    endInterrupted: using(db.transaction(endInterrupted)),
    append: (id, event) => using(append(id, event)),
    events: (id, after) => using(events(id, after))
  })
}

export const layer: Layer.Layer<RunStore, never, StateDb> = Layer.effect(RunStore, Effect.map(StateDb, make))
