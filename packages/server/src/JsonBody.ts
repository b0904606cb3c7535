/**
 * The JSON body of a request: text that is no JSON is `bad_json`, JSON of another shape `invalid_body`, more than any
 * prompt holds `body_too_large`.
 */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as HttpFailure from "./HttpFailure.ts"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** `prompt: Expected string`: the first thing that is wrong, and where. */
const describe = (issue: SchemaIssue.Issue): string => {
  const [first] = issues(issue).issues
  const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
  return `${path === "" ? "body" : path}: ${(first?.message ?? "invalid").replace(/\s+/g, " ")}`
}

/** As long as a prompt on standard input may be. */
const maxBodyChars = 10 * 1024 * 1024

/** Decodes the body and goes on with it. Keys the schema does not know are refused. */
export const decoded = <Body, A, E, R>(
  schema: Schema.ConstraintDecoder<Body>,
  request: HttpServerRequest,
  use: (body: Body) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | HttpFailure.HttpFailure, R> =>
  Effect.gen(function* () {
    if (Number(request.headers["content-length"] ?? 0) > maxBodyChars) return yield* HttpFailure.bodyTooLarge
    const text = yield* Effect.mapError(request.text, () => HttpFailure.badJson("the body could not be read"))
    if (text.length > maxBodyChars) return yield* HttpFailure.bodyTooLarge
    const json = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => HttpFailure.badJson("the body is not JSON")
    })
    const body = yield* Schema.decodeUnknownEffect(schema)(json, { onExcessProperty: "error" }).pipe(
      Effect.mapError(({ issue }) => HttpFailure.invalidBody(describe(issue)))
    )
    return yield* use(body)
  })
