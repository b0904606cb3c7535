/**
 * Makes a core `Tool` of a typed one: the JSON Schema that is sent and the values the tool gets come from one
 * Schema, so they cannot drift apart; its errors become results.
 */
import { type Message, Tool, ToolResult, type ToolSpec } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { answer, type CallFailure } from "./CallFailure.ts"

/** A struct whose values need no services to decode. */
type InputSchema = Schema.Codec<unknown, unknown>

interface Given<S extends InputSchema> {
  readonly name: string
  readonly description: string
  readonly input: S
  readonly spec?: Partial<ToolSpec.ToolSpec>
  readonly role?: Tool.ToolRole
  readonly parallelSafe?: boolean
  readonly background?: NonNullable<Tool.Tool["background"]>
  /** What a call does at its mildest: for listing the tool. */
  readonly mildest: Tool.CallEffect
  /** Absent: every call is like the mildest one. */
  readonly judge?: (input: S["Type"], workspace: string) => Effect.Effect<Tool.CallEffect>
  readonly run: (
    input: S["Type"],
    context: Tool.ToolContext
  ) => Effect.Effect<ToolResult.ToolResult, CallFailure>
}

export const reads: Tool.CallEffect = { _tag: "Reads" }

/** The JSON Schema of a struct: no other keys, and no limits that only repeat what an integer is. */
const jsonSchema = (input: InputSchema): Message.JsonObject => {
  const { schema } = Schema.toJsonSchemaDocument(input)
  const properties = Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>).map(
      ([key, { maximum, minimum, ...rest }]) => [
        key,
        {
          ...rest,
          ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
          ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
        }
      ]
    )
  )
  return { ...(schema as Message.JsonObject), properties, additionalProperties: false } as Message.JsonObject
}

export const make = <S extends InputSchema>({
  input,
  judge,
  mildest,
  run,
  ...given
}: Given<S>): Tool.Tool => {
  const decode = Schema.decodeUnknownEffect(input)
  const peek = Schema.decodeUnknownOption(input)
  return Tool.make({
    // What takes long has a limit of its own, and says so in its own words.
    timeout: Duration.infinity,
    ...given,
    inputSchema: jsonSchema(input),
    effectOf: (value, workspace) => {
      if (value === undefined || judge === undefined) return Effect.succeed(mildest)
      // What does not decode does not run: the call itself says what is wrong with it.
      return Option.match(peek(value), {
        onNone: () => Effect.succeed(mildest),
        onSome: (decoded) => judge(decoded, workspace)
      })
    },
    run: (value, context) =>
      decode(value).pipe(
        Effect.matchEffect({
          onFailure: (error) =>
            Effect.succeed(
              ToolResult.failed(
                Object.keys(value).length === 0
                  ? `${given.name} was called with no arguments at all; it takes ${Object.keys((jsonSchema(input).properties ?? {}) as object).join(", ")}`
                  : `${given.name}: ${error.message.replaceAll("\n", " ")}`
              )
            ),
          onSuccess: (decoded) => answer(run(decoded, context))
        })
      )
  })
}
