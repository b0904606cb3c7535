/**
 * Rows asked for and read back: each is checked against core's schemas, and one that does not fit is reported, never
 * thrown.
 *
 * Which rows are read, and what stands in for a lost one, is each store's.
 */
import { Page, type Row, type SqlValue } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** None, after a warning that names the row, when it does not fit. */
export const read = <S extends Schema.Decoder<unknown>>(
  schema: S,
  row: unknown,
  what: string
): Effect.Effect<Option.Option<S["Type"]>> =>
  Schema.decodeUnknownEffect(schema)(row).pipe(
    Effect.asSome,
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning(`${what} in state.db cannot be read: ${error.message.replace(/\s+/g, " ")}`),
        Option.none()
      )
    )
  )

/** The rows that fit, in their order. `what` names a row in the warning. */
export const readAll = <S extends Schema.Decoder<unknown>>(
  schema: S,
  rows: ReadonlyArray<Row>,
  what: (row: Row) => string
): Effect.Effect<ReadonlyArray<S["Type"]>> =>
  Effect.map(
    Effect.forEach(rows, (row) => read(schema, row, what(row))),
    (found) => found.flatMap(Option.toArray)
  )

/** The conditions that are asked for, all of which must hold, each with the values of its `?`. */
export const where = (
  ...conditions: ReadonlyArray<readonly [sql: string, ...values: ReadonlyArray<SqlValue>] | null>
) => {
  const asked = conditions.filter((condition) => condition !== null)
  return {
    sql: asked.length === 0 ? "" : `WHERE ${asked.map(([sql]) => sql).join(" AND ")}`,
    params: asked.flatMap(([, ...values]) => values)
  }
}

/** For `LIMIT`, where a negative number means no limit. */
export const limit = (request: Page.PageRequest): number => {
  const count = Page.toRead(request)
  return Number.isFinite(count) ? count : -1
}

/** The page of these rows. One that does not fit is left out and reported; it keeps its place. */
export const page = <S extends Schema.Decoder<unknown>>(
  schema: S,
  rows: ReadonlyArray<Row>,
  request: Page.PageRequest,
  of: { readonly what: (row: Row) => string; readonly cursorOf: (row: Row) => Page.Cursor }
): Effect.Effect<Page.Page<S["Type"]>> => {
  const { items, next } = Page.make(rows, request, of.cursorOf)
  return Effect.map(readAll(schema, items, of.what), (read) => ({ items: read, next }))
}
