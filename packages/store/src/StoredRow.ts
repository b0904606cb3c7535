/**
 * Rows read back: each is checked against core's schemas, and one that does not fit is reported, never thrown.
 *
 * Which rows are read, and what stands in for a lost one, is each store's.
 */
import type { Row } from "@cow/core"
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
