/** `cow skill …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"
import * as runFlags from "../RunFlags.ts"

const describe = Command.withDescription
const skills = () => import("../actions/skill.ts")

const skillName = Argument.String("name")

export const skill = Command.make("skill").pipe(
  describe("The skills that the agent can read"),
  Command.withSubcommands([
    Command.make(
      "list",
      { json: runFlags.json },
      lazily(skills, (m) => m.list)
    ).pipe(describe("List all that were found, with what keeps one from counting")),
    Command.make(
      "info",
      { name: skillName, json: runFlags.json },
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
