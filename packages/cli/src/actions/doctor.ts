/** `cow doctor`: what Cow found on this machine and in this folder, and what keeps something from working. */
import { Permission, SessionStore, ToolManager } from "@cow/core"
import { McpManager } from "@cow/mcp"
import { OfflineModel } from "@cow/models"
import { SkillLibrary } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed, ExitCode } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as DoctorProblems from "../run/DoctorProblems.ts"
import * as ProviderProbe from "../run/ProviderProbe.ts"
import * as ServerWait from "../run/ServerWait.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Environment } from "../settings/Environment.ts"
import * as ModelChoice from "../settings/ModelChoice.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"
import { counted } from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import { version } from "../Version.ts"
import { audience } from "./mcp.ts"

const { aside, edit, error, warning } = DoctorProblems

/** Without it no run can begin. */
const stateProblems = Effect.gen(function* () {
  const { paths } = yield* UserHome
  return yield* Effect.flatMap(SessionStore, (store) => store.list({ limit: 1 })).pipe(
    Effect.as<ReadonlyArray<DoctorProblems.Problem>>([]),
    Effect.catch(({ message }) => Effect.succeed([error(message, aside(paths.stateDb))]))
  )
})

interface Flags extends ServerWait.WaitFlags {
  readonly json: boolean
  /** The provider is not tried. */
  readonly offline: boolean
}

const examine = Effect.fnUntraced(function* (flags: Flags) {
  const { paths } = yield* UserHome
  const { platform } = yield* Environment
  const { project, settings, trust, user, workspace } = yield* Configuration
  const model = yield* ModelChoice.choose(Option.none())
  const manager = yield* McpManager
  yield* manager.waitSettled(Option.getOrElse(flags.mcpWait, () => ServerWait.usualSeconds))
  const servers = yield* manager.list
  const catalogue = yield* Effect.flatMap(SkillLibrary, (library) => library.catalogue(workspace))
  const { tools } = yield* Effect.flatMap(ToolManager, (table) => table.snapshot)
  const diagnostics = [...catalogue.diagnostics, ...(yield* manager.diagnostics)]
  const projectKeys = Object.entries(project.given.providers ?? {}).flatMap(([name, { api_key }]) =>
    api_key !== undefined && !api_key.startsWith("${") ? [name] : []
  )
  const probe =
    flags.offline || model.source === "offline" || model.id === OfflineModel.model.id
      ? ProviderProbe.notAsked
      : yield* ProviderProbe.ask(model.id)
  const problems: ReadonlyArray<DoctorProblems.Problem> = [
    ...(model.source === "offline"
      ? [warning(`no language model: ${model.why}`, "cow config set model PROVIDER/MODEL")]
      : []),
    ...DoctorProblems.ofProbe(model.id, probe),
    ...[user, project].flatMap(({ asides, path, warnings }) =>
      [...warnings, ...asides].map((message) => warning(message, edit(path)))
    ),
    ...DoctorProblems.ofSettings(settings, { path: project.path, keys: projectKeys }),
    ...(trust._tag === "Untrusted" || trust._tag === "Changed"
      ? [
          warning(
            `this folder brings things that are not trusted: ${(trust._tag === "Changed" ? trust.changed : trust.items).join(", ")}`,
            "cow trust"
          )
        ]
      : []),
    ...(yield* stateProblems),
    ...servers.flatMap(DoctorProblems.ofServer),
    ...catalogue.skills.flatMap(DoctorProblems.ofSkill),
    ...diagnostics.map(({ message, path, severity }) => ({
      severity,
      message: `${path}: ${message}`,
      fix: edit(path)
    }))
  ]
  const ready = catalogue.skills.filter((skill) => skill.available && skill.enabled).length
  return {
    ok: problems.every(({ severity }) => severity !== "error"),
    version,
    platform,
    cow_home: paths.folder,
    config: { path: user.path, exists: user.exists },
    workspace,
    trust: trust._tag.toLowerCase(),
    permission: Permission.parse(settings.agent_permission_mode).mode,
    model: { id: model.id, why: model.why, answers: probe.ok, elapsed_ms: probe.elapsed_ms },
    servers: servers.map(({ allowed_persona_ids, error, name, status, tools: count }) => ({
      name,
      status,
      tools: count,
      error,
      allowed_persona_ids
    })),
    skills: { ready, found: catalogue.skills.length },
    tools: tools.length,
    problems
  }
}, Effect.provide(AgentLayers.toolsAndModels))

const answered = (model: { readonly answers: boolean | null; readonly elapsed_ms: number }): string =>
  model.answers === true ? `; it answered in ${model.elapsed_ms} ms` : ""

/** Exit 1 when something that was set up does not work. */
export const doctor = Effect.fnUntraced(function* (flags: Flags) {
  const output = yield* Output
  const found = yield* examine(flags)
  if (flags.json) yield* output.json(found)
  else {
    const facts = [
      ["version", `${found.version} on ${found.platform}`],
      ["home", found.cow_home],
      ["workspace", `${found.workspace} (${found.trust})`],
      ["model", `${found.model.id} (${found.model.why}${answered(found.model)})`],
      ["permission", found.permission],
      ["tools", String(found.tools)],
      ["skills", `${found.skills.ready} ready of ${found.skills.found}`],
      ...found.servers.map((server) => [
        `server ${server.name}`,
        `${server.status}, ${counted(server.tools, "tool")}, ${audience(server.allowed_persona_ids)}`
      ])
    ]
    const problems = found.problems.map(({ fix, message, severity }) => [severity, message, fix])
    yield* output.text(Table.render(["WHAT", "FOUND"], facts))
    yield* output.text(
      problems.length === 0 ? "\nno problems" : `\n${Table.render(["PROBLEM", "WHAT", "FIX"], problems)}`
    )
  }
  if (!found.ok) return yield* new CommandFailed({ code: ExitCode.failure, message: "" })
})
