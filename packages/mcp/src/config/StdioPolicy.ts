/**
 * Which stdio servers may be added through the API while `mcp_allow_arbitrary_stdio` is false: known starters,
 * without code on the command line, without the host's secrets or files. Pure. A user's own file is never asked.
 */
import * as Result from "effect/Result"
import type { TransportConfig } from "./ServerEntry.ts"

export interface StdioRefusal {
  readonly code: "command_not_allowed" | "args_not_allowed" | "env_not_allowed"
  readonly message: string
}

type Stdio = Extract<TransportConfig, { _tag: "Stdio" }>

export const commands = [
  "python",
  "python3",
  "node",
  "npx",
  "bun",
  "bunx",
  "deno",
  "uv",
  "uvx",
  "docker"
] as const

const variables =
  /^(LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|BUN_OPTIONS|BASH_ENV|ENV|PATH)$/i

/** Options that run what stands on the command line, by starter. */
const code: Record<string, ReadonlyArray<RegExp>> = {
  python: [/^-[a-zA-Z]*c/],
  python3: [/^-[a-zA-Z]*c/],
  node: [/^-(e|p|pe)$/, /^--(eval|print)(=|$)/, /^-[ep]./, /^(-r|--require|--import|--loader)(=|$)/],
  bun: [/^-(e|p)$/, /^--(eval|print)(=|$)/, /^-[ep]./, /^(-r|--preload)(=|$)/],
  deno: [/^eval$/],
  npx: [/^(-c|--call)(=|$)/],
  uv: [/^-[a-zA-Z]*c$/],
  uvx: [/^-[a-zA-Z]*c$/],
  bunx: [/^-(e|p)$/]
}

const isHostFolder = (source: string): boolean => /^\/*$/.test(source) || /(^|\/)docker\.sock$/.test(source)

const dockerFault = (args: ReadonlyArray<string>): string | undefined => {
  for (const [at, arg] of args.entries()) {
    const [option = "", inline] = arg.startsWith("--")
      ? arg.split(/=(.*)/s)
      : [arg.slice(0, 2), arg.slice(2) || undefined]
    const value = inline ?? args[at + 1] ?? ""
    if (option === "--privileged") return arg
    if (["--network", "--net", "--pid", "--ipc", "--userns", "--uts"].includes(option) && value === "host")
      return arg
    if (["-v", "--volume"].includes(option) && isHostFolder(value.split(":")[0] ?? ""))
      return `${arg} ${value}`
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1]
    if (option === "--mount" && source !== undefined && isHostFolder(source)) return `${arg} ${value}`
    if (["--cap-add", "--device", "--security-opt"].includes(option)) return arg
  }
  return undefined
}

/** Fails with the code and one line that says what is refused. */
export const check = ({ command, args, env }: Stdio): Result.Result<void, StdioRefusal> => {
  if (!(commands as ReadonlyArray<string>).includes(command))
    return Result.fail({
      code: "command_not_allowed",
      message: `the command "${command}" is not one of ${commands.join(", ")} (mcp_allow_arbitrary_stdio is false)`
    })
  const fault =
    command === "docker"
      ? dockerFault(args)
      : args.find((arg) => (code[command] ?? []).some((rule) => rule.test(arg)))
  if (fault !== undefined)
    return Result.fail({
      code: "args_not_allowed",
      message: `the argument "${fault}" of ${command} is not allowed (mcp_allow_arbitrary_stdio is false)`
    })
  const variable = Object.keys(env).find((name) => variables.test(name))
  if (variable !== undefined)
    return Result.fail({
      code: "env_not_allowed",
      message: `the variable ${variable} may not be set (mcp_allow_arbitrary_stdio is false)`
    })
  return Result.succeed(undefined)
}
