/**
 * The errors of an endpoint as the API declares them: for each status one schema that lists its codes. The same
 * schemas encode the answers and stand in the OpenAPI document.
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type FailureCode, ofEveryRoute, statusOf } from "./FailureCode.ts"
import { HttpFailure } from "./HttpFailure.ts"

const ofStatus = <Code extends FailureCode>(status: number, codes: ReadonlyArray<Code>) => {
  const isOne = (value: unknown): value is HttpFailure<Code> =>
    value instanceof HttpFailure && (codes as ReadonlyArray<FailureCode>).includes(value.code)
  const [only, ...others] = codes
  const code: Schema.Codec<Code> =
    only !== undefined && others.length === 0 ? Schema.Literal(only) : Schema.Literals(codes)
  const wire = Schema.Struct({ error: Schema.Struct({ code, message: Schema.String }) })
  return wire.pipe(
    Schema.decodeTo(
      Schema.declare(isOne),
      SchemaTransformation.transform({
        decode: ({ error }) => new HttpFailure<Code>(error),
        encode: ({ code, message }) => ({ error: { code, message } })
      })
    ),
    Schema.annotate({ description: codes.map((code) => `\`${code}\``).join(", ") }),
    HttpApiSchema.status(status)
  )
}

/** For an endpoint that fails with these codes, and those that every route has. */
export const failures = <const Codes extends ReadonlyArray<FailureCode>>(...codes: Codes) => {
  const all: ReadonlyArray<Codes[number] | (typeof ofEveryRoute)[number]> = [...ofEveryRoute, ...codes]
  const byStatus = Map.groupBy(new Set(all), (code) => statusOf[code])
  return [...byStatus]
    .sort(([left], [right]) => left - right)
    .map(([status, ofOne]) => ofStatus<Codes[number] | (typeof ofEveryRoute)[number]>(status, ofOne))
}
