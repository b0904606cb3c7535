/** A logger that keeps its lines, level in front, for tests that say what was reported. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

export const capture = (): { readonly lines: Array<string>; readonly layer: Layer.Layer<never> } => {
  const lines: Array<string> = []
  const logger = Logger.make(
    ({ logLevel, message }) => void lines.push(`${logLevel} ${[message].flat().join(" ")}`)
  )
  return { lines, layer: Logger.layer([logger]) }
}

export const captured = <A, E, R>(
  body: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly value: A; readonly lines: ReadonlyArray<string> }, E, R> =>
  Effect.suspend(() => {
    const { layer, lines } = capture()
    return Effect.map(Effect.provide(body, layer), (value) => ({ value, lines }))
  })
