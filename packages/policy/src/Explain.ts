/**
 * The answer to "why can this persona not use this tool": the document of `cow tools explain` and of
 * `GET /api/tools/explain`. For a tool it is the trace of `ToolGate`; for any other name, what can still be said.
 */
import {
  type Check,
  type Decision,
  McpToolName,
  NearNames,
  type Permission,
  type PersonaNotFound,
  PersonaStore,
  type PersonaStoreError,
  RunStore,
  type RunStoreError,
  SkillCatalog,
  type Tool,
  ToolGate,
  ToolManager,
  ToolServers,
  type TraceStep
} from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ServerCheck from "./ServerCheck.ts"

export interface ExplainRequest {
  readonly name: string
  readonly persona: string
  readonly permission: Permission.PermissionMode
  /** Absolute path. */
  readonly workspace: string
}

/** `fix`: a command a person can type; null where the check is ok or nothing helps. */
export interface ExplainStep {
  readonly check: Check
  readonly ok: boolean
  readonly detail: string
  readonly fix: string | null
}

/** `allowed`: every check but `confirmation` is ok. */
export interface Explanation {
  readonly tool: string
  readonly persona: string
  readonly allowed: boolean
  readonly requires_confirmation: boolean
  /** All seven, in the order in which they decide. */
  readonly steps: ReadonlyArray<ExplainStep>
}

const order: ReadonlyArray<Check> = [
  "registered",
  "server",
  "grant",
  "policy",
  "skill",
  "permission",
  "confirmation"
]

/** Checks that are missing in `steps` could not be made. */
const complete = (steps: ReadonlyArray<TraceStep>): ReadonlyArray<TraceStep> =>
  order.map(
    (check) => steps.find((step) => step.check === check) ?? { check, ok: false, detail: "not checked" }
  )

const toDocument = (
  { name, persona }: ExplainRequest,
  requiresConfirmation: boolean,
  steps: ReadonlyArray<TraceStep>
): Explanation => ({
  tool: name,
  persona,
  allowed: steps.every(({ check, ok }) => ok || check === "confirmation"),
  requires_confirmation: requiresConfirmation,
  steps: steps.map(({ check, detail, fix, ok }) => ({ check, ok, detail, fix: fix ?? null }))
})

/** Whether another call of the tool than the mildest would be asked about. */
const mayAsk = (
  { effectOf, spec }: Tool.Tool,
  decision: Decision,
  mode: Permission.PermissionMode
): boolean =>
  decision._tag === "Allow" &&
  effectOf !== undefined &&
  spec.requires_confirmation &&
  mode === "workspace-write"

const dependsOnCall: TraceStep = {
  check: "confirmation",
  ok: false,
  detail: "depends on the call: a person is asked about one that may change more than the mode allows",
  fix: "cow approve RUN"
}

const quoted = (path: string): string => `'${path.replaceAll("'", () => "'\\''")}'`

export class Explain extends Context.Service<
  Explain,
  {
    readonly explain: (
      request: ExplainRequest
    ) => Effect.Effect<Explanation, PersonaNotFound | RunStoreError | PersonaStoreError>
  }
>()("@cow/policy/Explain") {
  static readonly layer: Layer.Layer<
    Explain,
    never,
    ToolManager | ToolGate | ToolServers | SkillCatalog | PersonaStore | RunStore
  > = Layer.effect(
    Explain,
    Effect.gen(function* () {
      const tools = yield* ToolManager
      const gate = yield* ToolGate
      const servers = yield* ToolServers
      const skills = yield* SkillCatalog
      const personas = yield* PersonaStore
      const runs = yield* RunStore

      /** Names the runs that wait for this very tool, so that the fix can be typed as it stands. */
      const withWaiting = Effect.fnUntraced(function* (name: string, trace: ReadonlyArray<TraceStep>) {
        const waiting = (yield* runs.list({ status: "waiting_approval" })).items
          .filter(({ pending }) => pending?.tool === name)
          .map(({ id }) => id)
        const [first] = waiting
        return trace.map((step) =>
          step.check !== "confirmation" || first === undefined
            ? step
            : {
                ...step,
                detail: `${step.detail}; waiting: ${waiting.join(", ")}`,
                fix: `cow approve ${first}`
              }
        )
      })

      /** What can be said of a name that is in no table. */
      const unregistered = Effect.fnUntraced(function* ({ name, persona, workspace }: ExplainRequest) {
        const card = (yield* skills.cards(persona, workspace)).find((one) => one.name === name)
        if (card !== undefined) {
          const fix = `cat ${quoted(card.path)}`
          return [
            { check: "registered", ok: false, detail: `${name} is a skill, which is read, not called`, fix },
            { check: "skill", ok: false, detail: `a skill; its text is at ${card.path}`, fix }
          ] satisfies ReadonlyArray<TraceStep>
        }
        const list = yield* servers.list
        const server = list
          .filter((one) => McpToolName.mayBelongTo(one.name, name))
          .sort((left, right) => right.name.length - left.name.length)[0]
        const near = NearNames.near(name, (yield* tools.snapshot).byName.keys())
        const [first, ...others] = near
        const suggestion =
          first === undefined
            ? "cow tools list"
            : `cow tools explain ${first}${others.length > 0 ? `  # or ${others.join(", ")}` : ""}`
        const skill: TraceStep = { check: "skill", ok: true, detail: "not a skill" }
        if (server === undefined)
          return [
            { check: "registered", ok: false, detail: `no tool is called ${name}`, fix: suggestion },
            skill
          ] satisfies ReadonlyArray<TraceStep>
        const up = ServerCheck.server(server.name, server)
        const registered: TraceStep =
          up.fix === undefined
            ? {
                check: "registered",
                ok: false,
                detail: `server ${server.name} is ready, but this tool is not among its ${server.toolCount}: not offered, or left out by includeTools or excludeTools`,
                fix: suggestion
              }
            : { check: "registered", ok: false, detail: up.detail, fix: up.fix }
        return [registered, up, ServerCheck.grant(server.name, server, persona), skill]
      })

      const explain = Effect.fn("Explain.explain")(function* (request: ExplainRequest) {
        yield* personas.get(request.persona)
        const registered = (yield* tools.snapshot).byName.get(request.name)
        if (registered === undefined)
          return toDocument(request, false, complete(yield* unregistered(request)))
        const { permission, persona, workspace } = request
        const decision = yield* gate.decide({ permission, persona, registered, workspace })
        const steps = mayAsk(registered.tool, decision, permission)
          ? decision.trace.map((step) => (step.check === "confirmation" ? dependsOnCall : step))
          : decision.trace
        const asked = steps.some(({ check, fix }) => check === "confirmation" && fix !== undefined)
        const trace = asked ? yield* withWaiting(request.name, steps) : steps
        return toDocument(request, asked, complete(trace))
      })

      return Explain.of({ explain })
    })
  )
}
