/**
 * The port to JSON Schema: compiles a tool's input schema (draft-07 or 2020-12) into a check. Nothing is ever
 * fetched for a schema. The agent package has the layer.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../model/Message.ts"

export class SchemaInvalid extends Schema.TaggedError<SchemaInvalid>()("SchemaInvalid", {
  /** One line: why the schema does not compile. */
  message: Schema.String
}) {}

/** The faults of a value, each one line that names the field and the rule. Empty: it fits. */
export type Validate = (value: unknown) => ReadonlyArray<string>

export class SchemaValidator extends Context.Service<
  SchemaValidator,
  { readonly compile: (schema: JsonObject) => Effect.Effect<Validate, SchemaInvalid> }
>()("@cow/core/SchemaValidator") {}
