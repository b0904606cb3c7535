/** `cow skill info NAME`: all that is known of one skill, and whether a persona may use the tools that it names. */
import { type Assignment, ToolGate, ToolManager } from "@cow/core"
import { SkillInstaller } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as App from "../layers/App.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Output } from "../terminal/Output.ts"
import { noSkill, skillNamed, stateOf } from "./skill.ts"

interface Input {
  readonly name: string
  readonly persona: string
  readonly json: boolean
}

/** A tool of the skill's `tool_names`. `reason`: why the persona may not use it, `not_registered` for none. */
interface NamedTool {
  readonly name: string
  readonly allowed: boolean
  readonly reason: string | null
}

interface Tools {
  readonly tools: ReadonlyArray<NamedTool>
  readonly warnings: ReadonlyArray<string>
}

/** Persona ids that have the skill, `*` for everyone; `!` marks those it was taken from. */
const assignedTo = (assignments: ReadonlyArray<Assignment>, installed: boolean): ReadonlyArray<string> => {
  const everyone = installed || assignments.some(({ persona }) => persona === "*") ? [] : ["*"]
  return [...everyone, ...assignments.map(({ allowed, persona }) => (allowed ? persona : `!${persona}`))]
}

const show = Effect.fnUntraced(
  function* (input: Input, { tools, warnings }: Tools) {
    const output = yield* Output
    const { workspace } = yield* Configuration
    const installer = yield* SkillInstaller
    const { assignments, digest, files, installed, scripts, skill, trustedAt } = yield* installer.info(
      input.name,
      workspace
    )
    const { installed: isInstalled, manifest, platformFits: _, ...listed } = skill
    const assigned = assignedTo(assignments, isInstalled)
    const said = [...manifest.warnings, ...warnings]
    if (input.json)
      return yield* output.json({
        ...listed,
        setup: manifest.setup,
        installed_from: installed?.source ?? null,
        commit: installed?.commit ?? null,
        installed_at: installed?.installed_at ?? null,
        trusted_at: trustedAt,
        digest,
        assigned_persona_ids: assigned,
        files,
        scripts,
        tools,
        allowed_tools: manifest.allowedTools,
        warnings: said
      })
    const missing = Object.entries(skill.missing).flatMap(([kind, names]) =>
      names.length === 0 ? [] : [`${kind}: ${names.join(", ")}`]
    )
    const row = (label: string, value: string | null) =>
      value === null || value === "" ? [] : [`${label.padEnd(9)}${value}`]
    const lines = [
      `${skill.name}  ${stateOf(skill)}  (${skill.source}${skill.trusted ? "" : ", not trusted"})`,
      skill.description,
      ...row("file", skill.path),
      ...row("from", installed?.source ?? null),
      ...row("commit", installed?.commit ?? null),
      ...row("since", installed?.installed_at ?? null),
      ...row("trusted", trustedAt),
      ...row("digest", digest),
      ...row("for", assigned.join(", ") || "nobody"),
      ...row("files", files.join(", ")),
      ...row("scripts", scripts.join(", ")),
      ...row(
        "tools",
        tools.map(({ name, reason }) => (reason === null ? name : `${name} (${reason})`)).join(", ")
      ),
      ...row("missing", missing.join("; ")),
      ...row("setup", manifest.setup)
    ]
    yield* output.text(lines.join("\n"))
    for (const warning of said) yield* output.note(`cow: warning: ${skill.path}: ${warning}`)
  },
  Effect.catchTag("SkillNotFound", ({ name }) => noSkill(name))
)

/** Whether any tool of a server is among them: only then are servers started. */
const namesServerTool = (names: ReadonlyArray<string>): boolean =>
  names.some((name) => name.startsWith("mcp__"))

const toolsOf = Effect.fnUntraced(function* (
  { persona }: Input,
  names: ReadonlyArray<string>,
  allowedTools: ReadonlyArray<string>
) {
  const ToolScene = yield* Effect.promise(() => import("../run/ToolScene.ts"))
  const asked = yield* ToolScene.make({ persona, permission: Option.none() })
  const gate = yield* ToolGate
  const { byName } = yield* Effect.flatMap(ToolManager, (manager) => manager.snapshot)
  const tools = yield* Effect.forEach(names, (name) => {
    const registered = byName.get(name)
    if (registered === undefined)
      return Effect.succeed<NamedTool>({ name, allowed: false, reason: "not_registered" })
    return Effect.map(gate.decide({ ...asked, registered }), (decision): NamedTool => {
      const reason = decision._tag === "Deny" ? decision.reason : null
      return { name, allowed: reason === null, reason }
    })
  })
  const warnings = allowedTools
    .filter((name) => !byName.has(name))
    .map((name) => `allowed-tools names ${name}, which is no tool here; it gives no right in any case`)
  return { tools, warnings } satisfies Tools
})

export const info = Effect.fnUntraced(function* (input: Input) {
  const { allowedTools, toolNames } = yield* Effect.provide(
    Effect.map(skillNamed(input.name), ({ manifest }) => manifest),
    App.skills
  )
  const names = [...toolNames, ...allowedTools]
  if (names.length === 0)
    return yield* Effect.provide(show(input, { tools: [], warnings: [] }), App.installer)
  const AgentLayers = yield* Effect.promise(() => import("../layers/AgentLayers.ts"))
  const told = Effect.flatMap(toolsOf(input, toolNames, allowedTools), (tools) => show(input, tools))
  if (!namesServerTool(names))
    return yield* Effect.provide(told, Layer.merge(App.installer, AgentLayers.ownTools))
  const ServerWait = yield* Effect.promise(() => import("../run/ServerWait.ts"))
  const waited = ServerWait.before({ requireMcp: [], mcpWait: Option.none() }, ServerWait.usualSeconds)
  return yield* Effect.provide(Effect.andThen(waited, told), Layer.merge(App.installer, AgentLayers.tools))
})
