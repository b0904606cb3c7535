/**
 * Asks the selector which tools a step sends. Whatever the selector does, no tool is lost by it: what fails, hangs or
 * gives something else than a selection sends all of them, mode `fallback`, with the reason.
 */
import { Guest, type Selection, type SelectionRequest, selectAll, ToolSelector, ToolTable } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const modes = new Set<unknown>(["all", "selected", "fallback"])

const isSelection = (value: unknown): value is Selection => {
  if (typeof value !== "object" || value === null) return false
  const { chosen, mode, names, reason } = value as Partial<Record<keyof Selection, unknown>>
  return (
    modes.has(mode) &&
    typeof reason === "string" &&
    names instanceof Set &&
    Array.isArray(chosen) &&
    chosen.every((name) => typeof name === "string")
  )
}

export const select = Effect.fnUntraced(function* (request: SelectionRequest) {
  const selector = yield* ToolSelector
  const seconds = yield* Guest.maxSeconds
  const outcome = yield* Guest.settle(() => selector.select(request), Duration.seconds(seconds))
  if (outcome._tag === "Given" && isSelection(outcome.value))
    return withKept(own(outcome.value, request), request)
  const why =
    outcome._tag === "Given"
      ? "gave no selection"
      : outcome._tag === "Late"
        ? `took longer than ${seconds} s`
        : Guest.describe(outcome)
  yield* Effect.logWarning(`tool selection ${why}; all tools are sent`)
  return selectAll(request, `the selector ${why}`, "fallback")
})

/** A set that others could change later is copied: steps are told apart by it. */
const own = (selection: Selection, { visible }: SelectionRequest): Selection =>
  selection.names === ToolTable.namesOf(visible)
    ? selection
    : { ...selection, names: new Set(selection.names) }

/** What the session has used stays, also where a selector forgets it. */
const withKept = (selection: Selection, { kept, visible }: SelectionRequest): Selection => {
  if (selection.mode !== "selected") return selection
  const missing = [...kept].filter((name) => !selection.names.has(name))
  if (missing.length === 0) return selection
  const there = ToolTable.namesOf(visible)
  const back = missing.filter((name) => there.has(name))
  return back.length === 0 ? selection : { ...selection, names: new Set([...selection.names, ...back]) }
}
