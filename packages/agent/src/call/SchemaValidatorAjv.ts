/**
 * Core's `SchemaValidator` by ajv, for draft-07 and 2020-12 by `$schema` (2020-12 where it says nothing). Loaded
 * when the first schema is compiled. A schema never fetches another; formats are not checked.
 */
import { type Message, SchemaInvalid, SchemaValidator, type Validate } from "@cow/core"
import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import type { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const

type Compile = (schema: Message.JsonObject) => ValidateFunction

/**
 * One instance knows what a schema of the dialect is: compiling that takes far longer than any tool's schema. The
 * schema itself is compiled in an instance of its own, since two schemas with the same `$id` must not meet; the
 * dialect's own schema is there only for what mentions it.
 */
const compiler = (Dialect: typeof Ajv | typeof Ajv2020): Compile => {
  const judge = new Dialect(options)
  return (schema) => {
    judge.validateSchema(schema, true)
    const meta = JSON.stringify(schema).includes("json-schema.org")
    return new Dialect({ ...options, validateSchema: false, meta }).compile(schema)
  }
}

const load = Effect.cached(
  Effect.promise(async () => {
    const [draft7, draft2020] = await Promise.all([import("ajv"), import("ajv/dist/2020.js")])
    return { draft7: compiler(draft7.Ajv), draft2020: compiler(draft2020.Ajv2020) }
  })
)

const fieldOf = (error: ErrorObject): string => {
  const extra = error.params as { missingProperty?: string; additionalProperty?: string }
  const name = extra.missingProperty ?? extra.additionalProperty
  const path = error.instancePath.slice(1).replaceAll("/", ".")
  return [path, name].filter((one) => one !== undefined && one !== "").join(".") || "the input"
}

const describe = (error: ErrorObject): string => {
  switch (error.keyword) {
    case "required":
      return `${fieldOf(error)}: is required`
    case "additionalProperties":
      return `${fieldOf(error)}: is not an argument of this tool`
    case "enum":
      return `${fieldOf(error)}: must be one of ${JSON.stringify(error.params.allowedValues)}`
    default:
      return `${fieldOf(error)}: ${error.message ?? error.keyword}`
  }
}

const toValidate =
  (check: ValidateFunction): Validate =>
  (value) =>
    check(value) ? [] : [...new Set((check.errors ?? []).map(describe))]

export const layer: Layer.Layer<SchemaValidator> = Layer.effect(
  SchemaValidator,
  Effect.gen(function* () {
    const modules = yield* load
    // Tools keep their schema object for as long as they live.
    const compiled = new WeakMap<Message.JsonObject, Validate>()
    return SchemaValidator.of({
      compile: Effect.fnUntraced(function* (schema) {
        const known = compiled.get(schema)
        if (known !== undefined) return known
        const { draft2020, draft7 } = yield* modules
        const old = typeof schema.$schema === "string" && /draft-0[467]/.test(schema.$schema)
        const { $schema: _, ...rest } = schema
        const validate = yield* Effect.try({
          try: () => toValidate((old ? draft7 : draft2020)(rest)),
          catch: (cause) =>
            new SchemaInvalid({ message: cause instanceof Error ? cause.message : String(cause) })
        })
        compiled.set(schema, validate)
        return validate
      })
    })
  })
)
