/** `cow trust [DIR]`: what a project folder brings counts from now on, as it is at this moment. */
import { TrustStore } from "@cow/policy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as App from "../layers/App.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as Workspace from "../settings/Workspace.ts"
import { Output } from "../terminal/Output.ts"

export const trust = Effect.fnUntraced(function* (input: { readonly folder: Option.Option<string> }) {
  yield* InsideRun.refuse("trusting a folder")
  const folder = yield* Option.match(input.folder, {
    onNone: () => Workspace.current,
    onSome: Workspace.folder
  })
  const items = yield* Effect.flatMap(TrustStore, (store) => store.trust(folder))
  const what = items.length === 0 ? "it holds nothing that needs trust" : items.join(", ")
  yield* Effect.flatMap(Output, (output) => output.note(`trusted ${folder}: ${what}`))
}, Effect.provide(App.trust))
