/** All commands with their arguments, flags and help. What each does is loaded from `actions/` when it runs. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { globalFlags } from "./GlobalFlags.ts"
import { lazily } from "./Lazily.ts"
import { json } from "./RunFlags.ts"

const describe = Command.withDescription

const personas = () => import("./actions/persona.ts")
const personaId = Argument.String("id")
const persona = Command.make("persona").pipe(
  describe("Who a run can act for"),
  Command.withSubcommands([
    Command.make(
      "list",
      { json },
      lazily(personas, (m) => m.list)
    ).pipe(describe("List personas")),
    Command.make(
      "show",
      { id: personaId, json },
      lazily(personas, (m) => m.show)
    ).pipe(describe("Show one")),
    Command.make(
      "add",
      { id: personaId, name: Flag.String("name").pipe(Flag.withMetavar("TEXT"), Flag.optional) },
      lazily(personas, (m) => m.add)
    ).pipe(describe("Add a persona")),
    Command.make(
      "remove",
      { id: personaId },
      lazily(personas, (m) => m.remove)
    ).pipe(describe("Remove one"))
  ])
)

const settings = () => import("./actions/settings.ts")
const init = Command.make(
  "init",
  {},
  lazily(settings, (m) => m.init)
).pipe(describe("Write a config.json that suits most people"))
const config = Command.make("config").pipe(
  describe("Read and change the settings"),
  Command.withSubcommands([
    Command.make(
      "get",
      { key: Argument.String("key").pipe(Argument.optional), json },
      lazily(settings, (m) => m.get)
    ).pipe(describe("Print one setting, or all that count here")),
    Command.make(
      "set",
      { key: Argument.String("key"), value: Argument.String("value") },
      lazily(settings, (m) => m.set)
    ).pipe(describe("Set one in the user's config.json"))
  ])
)

const trust = Command.make(
  "trust",
  { folder: Argument.String("dir").pipe(Argument.optional) },
  lazily(
    () => import("./actions/trust.ts"),
    (m) => m.trust
  )
).pipe(describe("Let the servers, skills and settings of a project folder count"))

const whole = (): Command.Command.Any => cow

const completion = Command.make(
  "completion",
  { shell: Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]) },
  lazily(
    () => import("./actions/completion.ts"),
    (m) => m.completion(whole())
  )
).pipe(describe("Print a completion script for a shell"))

const groups = [persona, trust, init, config] as const

export const cow = Command.make("cow").pipe(
  describe("Gives an agent tools, skills and MCP servers, and runs it"),
  Command.withSubcommands([...groups, completion]),
  Command.withGlobalFlags(globalFlags)
)
