/**
 * May this persona use this tool, and must a person be asked? One function, asked for listing, for choosing what
 * a model sees, and again at the moment of the call.
 *
 * Core's own layer knows the permission mode only; grants and policy rows are the policy package's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Decision, GateAsker, GateRequest, TraceStep } from "../model/Decision.ts"
import * as PermissionPolicy from "../model/PermissionPolicy.ts"
import type { RegisteredTool } from "../model/ToolTable.ts"
import * as UsableTools from "./UsableTools.ts"

export class ToolGate extends Context.Service<
  ToolGate,
  {
    readonly decide: (request: GateRequest) => Effect.Effect<Decision>
    /**
     * Those of the tools that `decide` does not deny, in their order: one question for a whole table. The very same
     * list as before where nothing has changed.
     */
    readonly usable: (
      asker: GateAsker,
      tools: ReadonlyArray<RegisteredTool>
    ) => Effect.Effect<ReadonlyArray<RegisteredTool>>
  }
>()("@cow/core/ToolGate") {
  /** A gate that asks `decide` for each tool of a table. */
  static readonly each = (
    decide: (request: GateRequest) => Effect.Effect<Decision>
  ): Context.Service.Shape<typeof ToolGate> => ({
    decide,
    usable: (asker, tools) =>
      Effect.filter(tools, (registered) =>
        Effect.map(decide({ ...asker, registered }), ({ _tag }) => _tag !== "Deny")
      )
  })
  /** The permission mode alone. An error inside the check denies. */
  static readonly layerPermission: Layer.Layer<ToolGate> = Layer.sync(ToolGate, () => {
    const gate = ToolGate.each((request) => Effect.map(PermissionPolicy.check(request), fromVerdict))
    const kept = UsableTools.make()
    return { ...gate, usable: (asker, tools) => kept(asker, tools, [], gate.usable(asker, tools)) }
  })
}

/** A decision whose only checks are the tool's place in the table and the permission mode. */
const fromVerdict = (verdict: PermissionPolicy.Verdict): Decision => {
  const registered: TraceStep = { check: "registered", ok: true, detail: "in the tool table" }
  const trace = [registered, ...PermissionPolicy.trace(verdict)]
  switch (verdict._tag) {
    case "Allow":
      return { _tag: "Allow", trace }
    case "Confirm":
      return { _tag: "Confirm", reason: verdict.reason, trace }
    case "Deny":
      return { _tag: "Deny", reason: "permission_mode", detail: verdict.reason, trace }
  }
}
