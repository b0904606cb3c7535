/**
 * One model behind an AI SDK provider. The SDK is loaded when the first stream starts, makes one call and never tries
 * again by itself. Interrupting the stream aborts the request.
 */
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Model } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as ModelCall from "./ModelCall.ts"
import * as ModelErrorDecoder from "./ModelErrorDecoder.ts"
import type { ProviderTarget } from "./ModelSettings.ts"
import * as ReplyParts from "./ReplyParts.ts"
import * as WireFetch from "./wire/WireFetch.ts"

const load = async (target: ProviderTarget, model: string): Promise<LanguageModelV4> => {
  const { name, baseUrl: baseURL, headers } = target
  const apiKey = target.apiKey === undefined ? undefined : Redacted.value(target.apiKey)
  // Where a key is not needed the empty one keeps the SDK from looking for another in the environment.
  const given = {
    baseURL,
    headers: { ...headers },
    apiKey: apiKey ?? "",
    fetch: WireFetch.make(target.type)
  }
  switch (target.type) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(given)(model)
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(given)(model)
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(given)(model)
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
      const key = apiKey === undefined ? {} : { apiKey }
      const settings = { name, baseURL, headers: given.headers, fetch: given.fetch, includeUsage: true }
      return createOpenAICompatible({ ...settings, ...key })(model)
    }
  }
}

/** Everything that must not be printed: the key, and header values that may hold one. */
const secretsOf = (target: ProviderTarget): ReadonlyArray<string> => [
  ...(target.apiKey === undefined ? [] : [Redacted.value(target.apiKey)]),
  ...Object.values(target.headers).flatMap((value) =>
    [value, ...value.split(/\s+/)].filter((v) => v.length >= 8)
  )
]

/** A failure of the SDK before it is decoded: decoding needs the clock. */
class Raw {
  readonly _tag = "Raw"
  constructor(readonly error: unknown) {}
}

export const make = (target: ProviderTarget, model: string): Model.Model => {
  const source = {
    provider: target.name,
    baseUrl: target.baseUrl,
    keyPlace: target.keyPlace,
    secrets: secretsOf(target)
  }
  const fail = (error: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.fail(ModelErrorDecoder.decode(error, { ...source, now }))
    )

  /** One import for all streams of this model. */
  let loading: Promise<LanguageModelV4> | undefined
  const sdk = (): Promise<LanguageModelV4> => (loading ??= load(target, model))

  const run = (
    step: ReplyParts.ReplyStep
  ): Effect.Effect<ReadonlyArray<Model.ModelEvent>, Model.ModelError> => {
    switch (step._tag) {
      case "Event":
        return Effect.succeed([step.event])
      case "Failed":
        return fail(step.error)
      case "EndedEarly":
        return Effect.fail(ModelErrorDecoder.endedEarly(source))
      case "Skipped":
        return Effect.as(Effect.logWarning(`${target.name}/${model}: left out ${step.what}`), [])
    }
  }

  const isLast = (step: ReplyParts.ReplyStep): boolean =>
    step._tag === "Failed" ||
    step._tag === "EndedEarly" ||
    (step._tag === "Event" && step.event._tag === "Finish")

  const start = Effect.fnUntraced(function* (request: Model.ModelRequest) {
    if (target.needsKey && target.apiKey === undefined) return yield* ModelErrorDecoder.keyMissing(source)
    const abort = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const options = ModelCall.make(target.type, model, request)
    const { stream } = yield* Effect.tryPromise({
      try: async () => (await sdk()).doStream({ ...options, abortSignal: abort.signal }),
      catch: (error) => error
    }).pipe(Effect.catch(fail))
    return Stream.fromReadableStream({ evaluate: () => stream, onError: (error) => new Raw(error) }).pipe(
      Stream.catchTag("Raw", ({ error }) => Stream.fromEffect(fail(error))),
      Stream.mapAccum(() => ReplyParts.initial, ReplyParts.step, {
        onHalt: (): ReadonlyArray<ReplyParts.ReplyStep> => [{ _tag: "EndedEarly" }]
      }),
      Stream.takeUntil(isLast),
      Stream.mapEffect(run),
      Stream.flattenIterable
    )
  })

  return {
    id: `${target.name}/${model}`,
    takesImages: ModelCall.takesImages(target.type),
    stream: (request) => Stream.unwrap(start(request))
  }
}
