/**
 * The matrix of permission mode and what a call would do. Pure but for asking the tool what the call would do.
 *
 * | effect of the call | read-only | workspace-write | full-access |
 * | --- | --- | --- | --- |
 * | Reads | allow | allow | allow |
 * | WritesWorkspace | deny | allow | allow |
 * | Asks | deny | confirm | allow |
 * | Escapes | deny | deny | allow |
 * | Never | deny | deny | deny |
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { GateRequest, TraceStep } from "./Decision.ts"
import * as Guest from "./Guest.ts"
import type { PermissionMode } from "./Permission.ts"
import type { CallEffect, Tool } from "./Tool.ts"

export type Verdict = { readonly mode: PermissionMode } & (
  | { readonly _tag: "Allow" }
  | { readonly _tag: "Confirm"; readonly reason: string }
  | { readonly _tag: "Deny"; readonly reason: string }
)

/** What the spec says of a tool that does not judge its calls itself. */
const effectBySpec = ({ spec }: Tool): CallEffect => {
  if (spec.requires_confirmation)
    return { _tag: "Asks", reason: spec.mutates_data ? "it may change data" : "it wants a person's consent" }
  return { _tag: spec.mutates_data ? "WritesWorkspace" : "Reads" }
}

const deny = (mode: PermissionMode, what: string): Verdict => ({
  _tag: "Deny",
  mode,
  reason: `permission mode ${mode} blocks this: ${what}. Do not try again; say what you would have done.`
})

/** The cell of the table above. */
export const judge = (mode: PermissionMode, effect: CallEffect): Verdict => {
  if (effect._tag === "Never") return { _tag: "Deny", mode, reason: effect.reason }
  if (mode === "full-access" || effect._tag === "Reads") return { _tag: "Allow", mode }
  if (mode === "read-only")
    return deny(mode, effect._tag === "WritesWorkspace" ? "it writes files" : effect.reason)
  switch (effect._tag) {
    case "WritesWorkspace":
      return { _tag: "Allow", mode }
    case "Asks":
      return { _tag: "Confirm", mode, reason: effect.reason }
    case "Escapes":
      return deny(mode, effect.reason)
  }
}

/** Asks the tool, then the table. A tool that cannot say what its call would do is denied. */
export const check = ({
  input,
  permission,
  registered: { tool },
  workspace
}: GateRequest): Effect.Effect<Verdict> => {
  if (tool.effectOf === undefined) {
    const effect = effectBySpec(tool)
    // Consent for what changes nothing can be asked in `read-only` too.
    const mode =
      effect._tag === "Asks" && !tool.spec.mutates_data && permission === "read-only"
        ? "workspace-write"
        : permission
    return Effect.succeed({ ...judge(mode, effect), mode: permission })
  }
  const { effectOf } = tool
  return Effect.gen(function* () {
    const limit = Duration.seconds(yield* Guest.maxCheckSeconds)
    const outcome = yield* Guest.settle(() => effectOf.call(tool, input, workspace), limit)
    return outcome._tag === "Given" && isEffectOfCall(outcome.value)
      ? judge(permission, outcome.value)
      : deny(permission, "the call could not be judged")
  })
}

const effectTags = new Set<unknown>(["Reads", "WritesWorkspace", "Asks", "Escapes", "Never"])

/** A tool of a plugin may say anything. */
const isEffectOfCall = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "_tag" in value && effectTags.has(value._tag)

export const trace = (verdict: Verdict): ReadonlyArray<TraceStep> => {
  const permission: TraceStep =
    verdict._tag === "Deny"
      ? {
          check: "permission",
          ok: false,
          detail: verdict.reason,
          fix: "--permission workspace-write or full-access"
        }
      : { check: "permission", ok: true, detail: `mode ${verdict.mode}` }
  const confirmation: TraceStep =
    verdict._tag === "Confirm"
      ? { check: "confirmation", ok: false, detail: verdict.reason, fix: "cow approve RUN" }
      : {
          check: "confirmation",
          ok: verdict._tag === "Allow",
          detail: verdict._tag === "Allow" ? "not needed" : "not checked"
        }
  return [permission, confirmation]
}
