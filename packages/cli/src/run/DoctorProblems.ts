/** What keeps something from working, each with the command that mends it or shows more. Pure. Looking is `cow doctor`'s. */
import { Permission } from "@cow/core"
import type { ServerInfo } from "@cow/mcp"
import type { ListedSkill } from "@cow/skills"
import type { Settings } from "../settings/Settings.ts"
import type { Probe } from "./ProviderProbe.ts"

/** `fix`: a command a person can type. */
export interface Problem {
  readonly severity: "error" | "warning"
  readonly message: string
  readonly fix: string
}

const quoted = (path: string): string => `'${path.replaceAll("'", () => "'\\''")}'`

export const edit = (path: string): string => `"\${EDITOR:-vi}" ${quoted(path)}`

export const aside = (path: string): string => `mv ${quoted(path)} ${quoted(`${path}.bak`)}`

export const warning = (message: string, fix: string): Problem => ({ severity: "warning", message, fix })

export const error = (message: string, fix: string): Problem => ({ severity: "error", message, fix })

export const ofServer = ({ error: why, name, status }: ServerInfo): ReadonlyArray<Problem> => {
  const because = why === null ? "" : `: ${why}`
  switch (status) {
    case "failed":
      return [error(`MCP server ${name} failed${because}`, `cow mcp test ${name}`)]
    case "needs_auth":
      return [warning(`MCP server ${name} wants a login or a token${because}`, `cow mcp login ${name}`)]
    case "untrusted":
      return [warning(`MCP server ${name} of this project is not trusted`, "cow trust")]
    case "pending":
    case "starting":
      return [warning(`MCP server ${name} is still ${status}`, "cow doctor --mcp-wait 60")]
    default:
      return []
  }
}

export const ofSkill = ({ name, source, trusted }: ListedSkill): ReadonlyArray<Problem> => {
  if (trusted) return []
  return source === "project"
    ? [warning(`skill ${name} of this project is not trusted and is not read`, "cow trust")]
    : [warning(`skill ${name} is not trusted and is not read`, `cow skill trust ${name}`)]
}

export const ofSettings = (
  settings: Settings,
  project: { readonly path: string; readonly keys: ReadonlyArray<string> }
): ReadonlyArray<Problem> => [
  ...(Permission.parse(settings.agent_permission_mode).known
    ? []
    : [
        warning(
          `agent_permission_mode "${settings.agent_permission_mode}" is unknown and acts as read-only`,
          "cow config set agent_permission_mode workspace-write"
        )
      ]),
  ...(settings.mcp_allow_arbitrary_stdio
    ? [
        warning(
          "mcp_allow_arbitrary_stdio is on: the API may add servers that start any program",
          "cow config set mcp_allow_arbitrary_stdio false"
        )
      ]
    : []),
  ...project.keys.map((name) =>
    warning(
      `the project's config.json holds the key of provider ${name} as text; write "\${VARIABLE}" instead`,
      edit(project.path)
    )
  )
]

/** What the model's provider said when it was tried. */
export const ofProbe = (model: string, { error: why, ok }: Probe): ReadonlyArray<Problem> =>
  ok === false ? [error(`model ${model} does not answer: ${why}`, "cow config get providers")] : []
