/** A model that follows a script: one turn a request, and keeps every request. */
import { type Message, type Model, ModelError, ModelNotFound, Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export interface ScriptedTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<{
    readonly id?: string
    readonly name: string
    readonly input?: unknown
    readonly raw?: string
  }>
  readonly finish?: Model.FinishReason | "none"
  readonly usage?: Model.Usage
  /** Told before anything else. */
  readonly reported?: Model.Usage
  readonly error?: ModelError
  /** Never ends after what it says. */
  readonly hang?: boolean
  /** Waited for after what it says and before the finish. */
  readonly pause?: Effect.Effect<void>
}

export type Script = ReadonlyArray<ScriptedTurn> | ((request: Model.ModelRequest, at: number) => ScriptedTurn)

export const failure = (reason: Model.ModelErrorReason, message = "scripted"): ModelError =>
  new ModelError({ reason, message })

const events = (turn: ScriptedTurn): ReadonlyArray<Model.ModelEvent> => {
  const out: Array<Model.ModelEvent> = []
  if (turn.reported !== undefined) out.push({ _tag: "Usage", usage: turn.reported })
  if (turn.reasoning !== undefined) out.push({ _tag: "ReasoningDelta", block: "r", text: turn.reasoning })
  for (const piece of turn.text?.match(/[\s\S]{1,5}/gu) ?? [])
    out.push({ _tag: "TextDelta", block: "t", text: piece })
  for (const [at, call] of (turn.calls ?? []).entries()) {
    const block = `c${at}`
    out.push({ _tag: "ToolCallStart", block, id: call.id ?? `id_${at}`, name: call.name })
    out.push({ _tag: "ToolCallDelta", block, arguments: call.raw ?? JSON.stringify(call.input ?? {}) })
  }
  return out
}

const finish = (turn: ScriptedTurn): ReadonlyArray<Model.ModelEvent> => {
  if (turn.finish === "none" || turn.hang === true || turn.error !== undefined) return []
  const reason = turn.finish ?? (turn.calls === undefined ? "stop" : "tool_calls")
  return [
    { _tag: "Finish", reason, usage: turn.usage ?? { inputTokens: 10, outputTokens: 5, cachedTokens: 0 } }
  ]
}

export interface ScriptedModel {
  readonly model: Model.Model
  readonly requests: ReadonlyArray<Model.ModelRequest>
}

/** Those that were made, by their number: `fake/0` is the first. */
const made: Array<Model.Model> = []

/** Every scripted model, by its id. */
export const layer: Layer.Layer<Models> = Layer.effect(
  Models,
  Effect.gen(function* () {
    const models = yield* Models
    yield* models.register({
      name: "fake",
      model: (name) => {
        const found = made[Number(name)]
        const message = `no model was scripted as ${name}`
        return found === undefined
          ? Effect.fail(new ModelNotFound({ id: `fake/${name}`, message }))
          : Effect.succeed(found)
      }
    })
    return models
  })
).pipe(Layer.provide(Models.layer))

export const make = (script: Script, takesImages = true): ScriptedModel => {
  const requests: Array<Model.ModelRequest> = []
  const stream = (request: Model.ModelRequest): Stream.Stream<Model.ModelEvent, ModelError> =>
    Stream.unwrap(
      Effect.sync(() => {
        requests.push(request)
        const at = requests.length - 1
        const turn =
          typeof script === "function" ? script(request, at) : (script[at] ?? { text: "(no more turns)" })
        const pause = Stream.fromEffectDrain(turn.pause ?? Effect.void)
        const said = Stream.fromIterable(events(turn)).pipe(Stream.concat(pause))
        if (turn.error !== undefined) return Stream.concat(said, Stream.fail(turn.error))
        return Stream.concat(said, turn.hang === true ? Stream.never : Stream.fromIterable(finish(turn)))
      })
    )
  const model = { id: `fake/${made.length}`, takesImages, stream }
  made.push(model)
  return { model, requests }
}

/** The results that stand behind the last assistant message of a request. */
export const newResults = (
  request: Model.ModelRequest | undefined
): ReadonlyArray<Message.ToolResultPart> => {
  const messages = request?.messages ?? []
  const at = messages.findLastIndex(({ role }) => role === "assistant")
  return messages
    .slice(at + 1)
    .flatMap(
      ({ parts }) => parts.filter((part) => part.type === "tool_result") as Array<Message.ToolResultPart>
    )
}

export const resultText = (result: Message.ToolResultPart | undefined): string =>
  (result?.content ?? []).map((part) => (part.type === "text" ? part.text : "(image)")).join("\n")
