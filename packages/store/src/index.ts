/** The public face of `@cow/store`: core's stores on one SQLite file. */
export * as PersonaStoreSqlite from "./PersonaStoreSqlite.ts"
export * as ProcessOwner from "./ProcessOwner.ts"
export * as RunStoreSqlite from "./RunStoreSqlite.ts"
export * as SessionStoreSqlite from "./SessionStoreSqlite.ts"
export * as SkillAssignmentsSqlite from "./SkillAssignmentsSqlite.ts"
export { lockWait } from "./SqliteFile.ts"
export * as StateDbSqlite from "./StateDbSqlite.ts"
export * as TrustRecordsSqlite from "./TrustRecordsSqlite.ts"
