/** All commands. What each does is loaded from `actions/` when it runs; its flags and help are in `commands/`. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { mcp } from "../commands/mcpCommands.ts"
import { persona } from "../commands/personaCommands.ts"
import { approve, chat, deny, run, serve } from "../commands/runCommands.ts"
import { runs } from "../commands/runsCommands.ts"
import { session } from "../commands/sessionCommands.ts"
import { config, doctor, init, trust } from "../commands/settingsCommands.ts"
import { skill } from "../commands/skillCommands.ts"
import { toolsCommand } from "../commands/toolCommands.ts"
import { lazily } from "../layers/Lazily.ts"
import * as runFlags from "../run/RunFlags.ts"
import { globalFlags } from "./GlobalFlags.ts"

const describe = Command.withDescription

const whole = (): Command.Command.Any => cow

const completion = Command.make(
  "completion",
  { shell: Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]) },
  lazily(
    () => import("../actions/completion.ts"),
    (m) => m.completion(whole())
  )
).pipe(describe("Print a completion script for a shell"))

const groups = [
  run,
  chat,
  approve,
  deny,
  toolsCommand,
  mcp,
  skill,
  runs,
  session,
  persona,
  trust,
  init,
  config,
  doctor,
  serve
] as const

export const cow = Command.make(
  "cow",
  runFlags.run,
  lazily(
    () => import("../actions/chat.ts"),
    (m) => m.chat
  )
).pipe(
  describe("Gives an agent tools, skills and MCP servers, and runs it"),
  Command.withSubcommands([...groups, completion]),
  Command.withGlobalFlags(globalFlags)
)
