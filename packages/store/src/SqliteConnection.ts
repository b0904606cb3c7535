/**
 * One open SQLite connection, and what the database's errors mean. This is the layer for bun:sqlite, and for node:fs
 * where a file is kept from others' eyes.
 *
 * Statements are synchronous. When a file is opened, retried or set aside is `SqliteFile`.
 */
import type { Database } from "bun:sqlite"
import { chmodSync, closeSync, openSync, statSync } from "node:fs"
import { PlatformFault, type Row, type SqlValue, StateDbError } from "@cow/core"
import { isPlatformError } from "effect/PlatformError"

export interface SqliteConnection {
  /** Integers come as numbers, blobs as `Uint8Array`. */
  readonly all: (sql: string, params?: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
  /** Number of rows changed. */
  readonly run: (sql: string, params?: ReadonlyArray<SqlValue>) => number
  /** A script of several statements without parameters. */
  readonly script: (sql: string) => void
  readonly inTransaction: () => boolean
  readonly close: () => void
}

/**
 * What went wrong, as far as anything is done about it. `busy`: another process holds the lock. `damaged`: the
 * file is no database, or a broken one.
 */
export type SqliteFault = "busy" | "damaged" | "read-only" | "other"

// SQLite's primary result codes (https://www.sqlite.org/rescode.html), the low byte of an extended one.
const faults: Readonly<Record<number, SqliteFault>> = {
  5: "busy",
  6: "busy",
  8: "read-only",
  11: "damaged",
  26: "damaged"
}

/** The file holds something that SQLite would take for an empty database and write over. */
class NotADatabase extends Error {
  readonly errno = 26
  override readonly message = "file is not a database"
}

const resultCode = (cause: unknown): number | undefined =>
  cause instanceof Error && "errno" in cause && typeof cause.errno === "number"
    ? cause.errno & 0xff
    : undefined

export const faultOf = (cause: unknown): SqliteFault => faults[resultCode(cause) ?? -1] ?? "other"

const sayings: Readonly<Record<number, string>> = {
  3: "may not be opened",
  5: "is locked by another process",
  6: "is locked by another process",
  8: "is read-only",
  11: "is damaged",
  13: "cannot grow: the disk is full",
  14: "cannot be opened",
  26: "is damaged"
}

/** One line that names the file. */
export const toStateDbError = (path: string, cause: unknown): StateDbError => {
  if (isPlatformError(cause))
    return new StateDbError({ message: `${path} cannot be opened: ${PlatformFault.describe(cause)}`, cause })
  const saying = sayings[resultCode(cause) ?? -1]
  const said = cause instanceof Error ? cause.message : String(cause)
  const line = saying === undefined ? `${path}: ${said}` : `${path} ${saying}`
  return new StateDbError({ message: line.replace(/\s+/g, " "), cause })
}

/** How long SQLite itself may wait for a lock, blocking the process, before the wait goes on in the background. */
const busyMillis = 20

/** What SQLite keeps beside a database. */
export const companions = ["-wal", "-shm", "-journal"]

const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // Not there, or not ours to change: SQLite says what is wrong with it.
  }
}

/**
 * Conversations are their owner's: the file is made for its owner alone before SQLite makes it for everybody, and one
 * that others may read is closed to them. SQLite gives what it keeps beside it the same rights.
 */
const keepPrivate = (path: string): void => {
  // Only a new one is opened: closing a file gives up the locks that this process has on it (fcntl(2)).
  attempt(() => closeSync(openSync(path, "wx", 0o600)))
  for (const end of ["", ...companions])
    attempt(() => {
      const { mode } = statSync(path + end)
      if ((mode & 0o077) !== 0) chmodSync(path + end, mode & 0o700)
    })
}

const open = async (path: string): Promise<Database> => {
  const { Database } = await import("bun:sqlite")
  if (path !== ":memory:") keepPrivate(path)
  const db = new Database(path, { create: true, readwrite: true })
  db.run(`PRAGMA busy_timeout = ${busyMillis}`)
  return db
}

/** The first read. Throws for what is no database, and for a file that is shorter than its header says. */
const readHeader = (db: Database, path: string): void => {
  db.query("SELECT count(*) FROM sqlite_schema").get()
  // A single byte is too short for SQLite to see that it is no database.
  const pages = db.query<{ page_count: number }, []>("PRAGMA page_count").get()
  if (pages?.page_count === 0 && path !== ":memory:" && Bun.file(path).size > 0) throw new NotADatabase()
}

/** Opens or creates the file and sets it up. Throws what the database throws; a damaged file is not written to. */
export const connect = async (path: string): Promise<SqliteConnection> => {
  const db = await open(path)
  try {
    readHeader(db, path)
    try {
      db.run("PRAGMA journal_mode = WAL")
    } catch (cause) {
      // Reading still works then; the first write says what is wrong.
      if (faultOf(cause) !== "read-only") throw cause
    }
    db.run("PRAGMA synchronous = NORMAL")
    db.run("PRAGMA foreign_keys = ON")
  } catch (cause) {
    db.close()
    throw cause
  }
  return {
    all: (sql, params = []) => db.query<Row, Array<SqlValue>>(sql).all(...params),
    run: (sql, params = []) => db.query<Row, Array<SqlValue>>(sql).run(...params).changes,
    script: (sql) => void db.run(sql),
    inTransaction: () => db.inTransaction,
    close: () => db.close()
  }
}

/** Reads every page. True when the file is no database or a broken one. Throws any other fault. */
export const isDamaged = async (path: string): Promise<boolean> => {
  const db = await open(path)
  try {
    readHeader(db, path)
    return db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check !== "ok"
  } catch (cause) {
    if (faultOf(cause) === "damaged") return true
    throw cause
  } finally {
    db.close()
  }
}

/** Its holder removed the lock's file while we waited: to be tried again. */
class LockGone extends Error {
  readonly errno = 5
  override readonly message = "the lock is gone"
}

// SQLITE_IOERR_FSTAT and SQLITE_READONLY_DBMOVED.
const isGone = (cause: unknown): boolean =>
  cause instanceof Error && "errno" in cause && (cause.errno === 1802 || cause.errno === 1032)

/** A lock between processes that ends with the process. Throws `busy` while another one holds it. */
export const lock = async (path: string): Promise<{ readonly release: () => void }> => {
  const db = await open(path)
  try {
    db.run("BEGIN EXCLUSIVE")
  } catch (cause) {
    db.close()
    throw isGone(cause) ? new LockGone() : cause
  }
  return { release: () => db.close() }
}
