/** All commands with their arguments, flags and help. What each does is loaded from `actions/` when it runs. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { globalFlags } from "./GlobalFlags.ts"
import { lazily } from "./Lazily.ts"
import * as runFlags from "./RunFlags.ts"

const describe = Command.withDescription
const { json } = runFlags

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

const run = Command.make(
  "run",
  {
    prompt: Argument.String("prompt").pipe(
      Argument.withDescription("What to do; - or nothing reads standard input"),
      Argument.optional
    ),
    ...runFlags.run
  },
  lazily(
    () => import("./actions/run.ts"),
    (m) => m.run
  )
).pipe(describe("Work off one message"))

const chat = Command.make(
  "chat",
  runFlags.run,
  lazily(
    () => import("./actions/chat.ts"),
    (m) => m.chat
  )
).pipe(describe("Talk: one message a line; also what `cow` alone does"))

const approvals = () => import("./actions/approval.ts")
const waiting = { run: Argument.String("run"), output: runFlags.output }
const approve = Command.make(
  "approve",
  waiting,
  lazily(approvals, (m) => m.approve)
).pipe(describe("Let the call that a run waits for be made, and the run go on"))
const deny = Command.make(
  "deny",
  waiting,
  lazily(approvals, (m) => m.deny)
).pipe(describe("Refuse the call that a run waits for, and end the run"))

const skills = () => import("./actions/skill.ts")
const skillName = Argument.String("name")
const skill = Command.make("skill").pipe(
  describe("The skills that the agent can read"),
  Command.withSubcommands([
    Command.make(
      "list",
      { json },
      lazily(skills, (m) => m.list)
    ).pipe(describe("List all that were found, with what keeps one from counting")),
    Command.make(
      "info",
      { name: skillName, json },
      lazily(skills, (m) => m.info)
    ).pipe(describe("Show one")),
    Command.make(
      "prompt",
      { persona: runFlags.persona },
      lazily(skills, (m) => m.prompt)
    ).pipe(describe("Print exactly what goes into the system prompt")),
    Command.make(
      "enable",
      { name: skillName },
      lazily(skills, (m) => m.enable)
    ).pipe(describe("Switch one on")),
    Command.make(
      "disable",
      { name: skillName },
      lazily(skills, (m) => m.disable)
    ).pipe(describe("Switch one off"))
  ])
)

const sessions = () => import("./actions/session.ts")
const sessionId = Argument.String("id")
const session = Command.make("session").pipe(
  describe("Stored conversations"),
  Command.withSubcommands([
    Command.make(
      "list",
      { json },
      lazily(sessions, (m) => m.list)
    ).pipe(describe("List sessions, the newest first")),
    Command.make(
      "show",
      { id: sessionId, json },
      lazily(sessions, (m) => m.show)
    ).pipe(describe("Show one")),
    Command.make(
      "export",
      { id: sessionId },
      lazily(sessions, (m) => m.exportLines)
    ).pipe(describe("Print its messages as lines of JSON")),
    Command.make(
      "delete",
      { id: sessionId },
      lazily(sessions, (m) => m.remove)
    ).pipe(describe("Delete one"))
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

const groups = [run, chat, approve, deny, skill, session, persona, trust, init, config] as const

export const cow = Command.make(
  "cow",
  runFlags.run,
  lazily(
    () => import("./actions/chat.ts"),
    (m) => m.chat
  )
).pipe(
  describe("Gives an agent tools, skills and MCP servers, and runs it"),
  Command.withSubcommands([...groups, completion]),
  Command.withGlobalFlags(globalFlags)
)
