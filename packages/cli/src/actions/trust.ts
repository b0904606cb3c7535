/**
 * `cow trust [DIR…]`: what project folders bring counts from now on, as it is at this moment. It is shown first, and
 * on a terminal asked about.
 */
import { TrustStore } from "@cow/policy"
import * as Effect from "effect/Effect"
import { ExitCode, failed } from "../command/ExitCode.ts"
import * as App from "../layers/App.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as ProjectInventory from "../settings/ProjectInventory.ts"
import * as Workspace from "../settings/Workspace.ts"
import * as Consent from "../terminal/Consent.ts"
import { Output } from "../terminal/Output.ts"

const show = Effect.fnUntraced(function* (folder: string) {
  const output = yield* Output
  const state = yield* Effect.flatMap(TrustStore, (store) => store.state(folder))
  const items = state._tag === "Empty" ? [] : state.items
  const lines = yield* ProjectInventory.lines(folder, items)
  if (lines.length > 0) yield* output.note(`${folder} brings:`)
  for (const line of lines) yield* output.note(`  ${line}`)
  return items.length
})

interface Input {
  readonly folders: ReadonlyArray<string>
  readonly yes: boolean
}

export const trust = Effect.fnUntraced(function* (input: Input) {
  yield* InsideRun.refuse("trusting a folder")
  const output = yield* Output
  const folders =
    input.folders.length === 0
      ? [yield* Workspace.current]
      : yield* Effect.forEach(input.folders, Workspace.folder)
  const counts = yield* Effect.forEach(folders, show)
  const asked = !input.yes && counts.some((count) => count > 0)
  if (asked && !(yield* Consent.unlessNo("Trust that, as it is now?")))
    return yield* failed("nothing was trusted", ExitCode.failure)
  for (const folder of folders) {
    const items = yield* Effect.flatMap(TrustStore, (store) => store.trust(folder))
    const what = items.length === 0 ? "it holds nothing that needs trust" : items.join(", ")
    yield* output.note(`trusted ${folder}: ${what}`)
  }
}, Effect.provide(App.trust))
