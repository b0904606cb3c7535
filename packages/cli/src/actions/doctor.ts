/** `cow doctor`: what Cow found on this machine and in this folder, and what keeps something from working. */
import { Permission, SessionStore, ToolManager } from "@cow/core"
import { McpManager, type ServerInfo } from "@cow/mcp"
import { SkillLibrary } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed, ExitCode } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ServerWait from "../run/ServerWait.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Environment } from "../settings/Environment.ts"
import * as ModelChoice from "../settings/ModelChoice.ts"
import type { Settings } from "../settings/Settings.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"
import { version } from "../Version.ts"
import { audience } from "./mcp.ts"

/** `fix`: a command a person can type, or null. */
interface Problem {
  readonly severity: "error" | "warning"
  readonly message: string
  readonly fix: string | null
}

const warning = (message: string, fix: string | null = null): Problem => ({
  severity: "warning",
  message,
  fix
})

const serverProblem = ({ error, name, status }: ServerInfo): ReadonlyArray<Problem> => {
  const why = error === null ? "" : `: ${error}`
  switch (status) {
    case "failed":
      return [{ severity: "error", message: `MCP server ${name} failed${why}`, fix: `cow mcp test ${name}` }]
    case "needs_auth":
      return [warning(`MCP server ${name} wants a login or a token${why}`)]
    case "untrusted":
      return [warning(`MCP server ${name} of this project is not trusted`, "cow trust")]
    case "pending":
    case "starting":
      return [warning(`MCP server ${name} is still ${status}`)]
    default:
      return []
  }
}

const settingProblems = (settings: Settings, projectKeys: ReadonlyArray<string>): ReadonlyArray<Problem> => [
  ...(Permission.parse(settings.agent_permission_mode).known
    ? []
    : [
        warning(`agent_permission_mode "${settings.agent_permission_mode}" is unknown and acts as read-only`)
      ]),
  ...(settings.mcp_allow_arbitrary_stdio
    ? [warning("mcp_allow_arbitrary_stdio is on: the API may add servers that start any program")]
    : []),
  ...projectKeys.map((name) =>
    warning(
      `the project's config.json holds the key of provider ${name} as text; write "\${VARIABLE}" instead`
    )
  )
]

/** Without it no run can begin. */
const stateProblems = Effect.flatMap(SessionStore, (store) => store.list({ limit: 1 })).pipe(
  Effect.as<ReadonlyArray<Problem>>([]),
  Effect.catch(({ message }) => Effect.succeed([{ severity: "error" as const, message, fix: null }]))
)

const examine = Effect.fnUntraced(function* (flags: ServerWait.WaitFlags) {
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
  const problems: ReadonlyArray<Problem> = [
    ...(model.source === "offline"
      ? [warning(`no language model: ${model.why}`, "cow config set model PROVIDER/MODEL")]
      : []),
    ...[...user.warnings, ...project.warnings].map((message) => warning(message)),
    ...settingProblems(settings, projectKeys),
    ...(trust._tag === "Untrusted" || trust._tag === "Changed"
      ? [
          warning(
            `this folder brings things that are not trusted: ${(trust._tag === "Changed" ? trust.changed : trust.items).join(", ")}`,
            "cow trust"
          )
        ]
      : []),
    ...(yield* stateProblems),
    ...servers.flatMap(serverProblem),
    ...diagnostics.map(({ message, path, severity }) => ({
      severity,
      message: `${path}: ${message}`,
      fix: null
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
    model: { id: model.id, why: model.why },
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
}, Effect.provide(AgentLayers.tools))

/** Exit 1 when something that was set up does not work. */
export const doctor = Effect.fnUntraced(function* (flags: ServerWait.WaitFlags & { readonly json: boolean }) {
  const output = yield* Output
  const found = yield* examine(flags)
  if (flags.json) yield* output.json(found)
  else {
    const facts = [
      ["version", `${found.version} on ${found.platform}`],
      ["home", found.cow_home],
      ["workspace", `${found.workspace} (${found.trust})`],
      ["model", `${found.model.id} (${found.model.why})`],
      ["permission", found.permission],
      ["tools", String(found.tools)],
      ["skills", `${found.skills.ready} ready of ${found.skills.found}`],
      ...found.servers.map((server) => [
        `server ${server.name}`,
        `${server.status}, ${server.tools} tools, ${audience(server.allowed_persona_ids)}`
      ])
    ]
    const problems = found.problems.map(({ fix, message, severity }) => [severity, message, fix ?? ""])
    yield* output.text(Table.render(["WHAT", "FOUND"], facts))
    yield* output.text(
      problems.length === 0 ? "\nno problems" : `\n${Table.render(["PROBLEM", "WHAT", "FIX"], problems)}`
    )
  }
  if (!found.ok) return yield* new CommandFailed({ code: ExitCode.failure, message: "" })
})
