/** Asks an Ollama which models it has. Choosing among models is `DefaultModel`. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const ModelList = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })
const decode = Schema.decodeUnknownOption(ModelList)

/**
 * Names of the models of the server at `baseUrl` (with `/v1`), in its order; undefined when none answers in time.
 * Never fails: no answer is an answer here.
 */
export const models = (
  baseUrl: string,
  within: Duration.Input
): Effect.Effect<ReadonlyArray<string> | undefined> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${baseUrl}/models`, { signal })
    return response.ok ? ((await response.json()) as unknown) : undefined
  }).pipe(
    Effect.timeoutOption(within),
    Effect.orElseSucceed(() => Option.none<unknown>()),
    Effect.map((answer) =>
      Option.flatMap(answer, decode).pipe(
        Option.map(({ data }) => data.map(({ id }) => id)),
        Option.getOrUndefined
      )
    )
  )
