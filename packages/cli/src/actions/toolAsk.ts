/** `cow tools search` and `cow tools explain`: which tool fits some words, and why one may or may not be used. */
import { Explain } from "@cow/policy"
import { ToolSearch } from "@cow/retrieval"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ServerWait from "../run/ServerWait.ts"
import * as ToolScene from "../run/ToolScene.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

export const search = Effect.fnUntraced(
  function* (flags: ToolScene.ToolFlags & { readonly query: string; readonly topK: number }) {
    const output = yield* Output
    const asked = yield* ToolScene.make(flags)
    yield* ServerWait.before(flags, ServerWait.usualSeconds)
    const answer = yield* Effect.flatMap(ToolSearch, (tools) =>
      tools.search({ ...asked, query: flags.query, topK: flags.topK })
    )
    if (flags.json) return yield* output.json(answer)
    const lines = answer.results.map(({ name, score, server }) => [name, server, score.toFixed(3)])
    yield* output.text(Table.render(["NAME", "SERVER", "SCORE"], lines))
  },
  Effect.provide(ToolSearch.layer.pipe(Layer.provideMerge(AgentLayers.tools)))
)

export const explain = Effect.fnUntraced(
  function* (flags: ToolScene.ToolFlags & { readonly name: string }) {
    const output = yield* Output
    const asked = yield* ToolScene.make(flags)
    yield* ServerWait.before(flags, ServerWait.usualSeconds)
    const found = yield* Effect.flatMap(Explain, (policy) => policy.explain({ ...asked, name: flags.name }))
    if (flags.json) {
      yield* output.json(found)
      return yield* ToolScene.noTool(flags.name, asked.persona)
    }
    const verdict = found.allowed
      ? found.requires_confirmation
        ? "allowed, a person may be asked"
        : "allowed"
      : "refused"
    const steps = found.steps.map(({ check, detail, fix, ok }) => [
      ok ? "ok" : "no",
      check,
      detail,
      fix ?? ""
    ])
    yield* output.text(
      `${found.tool} for ${found.persona}: ${verdict}\n\n${Table.render(["", "CHECK", "DETAIL", "FIX"], steps)}`
    )
    yield* ToolScene.noTool(flags.name, asked.persona)
  },
  Effect.provide(Explain.layer.pipe(Layer.provideMerge(AgentLayers.tools)))
)
