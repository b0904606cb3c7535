/** The public face of `@cow/store`: core's stores on one SQLite file. */

export { lockWait } from "./SqliteFile.ts"
export * as StateDbSqlite from "./StateDbSqlite.ts"
