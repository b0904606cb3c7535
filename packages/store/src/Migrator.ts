/**
 * Brings an owner's tables up to date and remembers, in the table `migrations`, which steps each owner has had.
 *
 * Pure but for the connection. When it runs is `StateDbSqlite`.
 */
import type { Migrations } from "@cow/core"
import type { SqliteConnection } from "./SqliteConnection.ts"

const table = `CREATE TABLE IF NOT EXISTS migrations (
  owner TEXT NOT NULL,
  step INTEGER NOT NULL,
  PRIMARY KEY (owner, step)
) STRICT, WITHOUT ROWID`

/** How many steps the owner has had. Reads only. */
const stepsDone = (connection: SqliteConnection, owner: string): number => {
  if (connection.all("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").length === 0) return 0
  const [row] = connection.all("SELECT count(*) AS done FROM migrations WHERE owner = ?", [owner])
  return Number(row?.done)
}

/**
 * Runs the steps that are missing, each in a transaction of its own. Throws what the database throws; the failed
 * step then left nothing behind.
 */
export const apply = (connection: SqliteConnection, { owner, steps }: Migrations): void => {
  for (let at = stepsDone(connection, owner); at < steps.length; at++)
    atomically(connection, () => {
      connection.script(table)
      // Another process may have been faster.
      if (stepsDone(connection, owner) !== at) return
      connection.script(steps[at] as string)
      connection.run("INSERT INTO migrations (owner, step) VALUES (?, ?)", [owner, at + 1])
    })
}

const atomically = (connection: SqliteConnection, body: () => void): void => {
  const nested = connection.inTransaction()
  connection.script(nested ? "SAVEPOINT migration" : "BEGIN IMMEDIATE")
  try {
    body()
    connection.script(nested ? "RELEASE migration" : "COMMIT")
  } catch (cause) {
    if (connection.inTransaction())
      connection.script(nested ? "ROLLBACK TO migration; RELEASE migration" : "ROLLBACK")
    throw cause
  }
}
