/** `cow skill …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import * as runFlags from "../run/RunFlags.ts"

const describe = Command.withDescription
const skills = () => import("../actions/skill.ts")

const installing = () => import("../actions/skillInstall.ts")
const authoring = () => import("../actions/skillAuthor.ts")

const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

const skillName = Argument.String("name")

export const skill = Command.make("skill").pipe(
  describe("The skills that the agent can read"),
  Command.withSubcommands([
    Command.make(
      "list",
      { persona: runFlags.persona, json: runFlags.json },
      lazily(skills, (m) => m.list)
    ).pipe(describe("List all that were found: ready, or why not")),
    Command.make(
      "info",
      { name: skillName, persona: runFlags.persona, json: runFlags.json },
      lazily(
        () => import("../actions/skillInfo.ts"),
        (m) => m.info
      )
    ).pipe(
      describe("Show all that is known of one: where it is from, its trust, files, tools and what it misses")
    ),
    Command.make(
      "prompt",
      { persona: runFlags.persona },
      lazily(skills, (m) => m.prompt)
    ).pipe(describe("Print exactly what goes into the system prompt")),
    Command.make(
      "enable",
      { name: skillName },
      lazily(skills, (m) => m.enable)
    ).pipe(describe("Switch one on; a running chat sees it at its next step")),
    Command.make(
      "disable",
      { name: skillName },
      lazily(skills, (m) => m.disable)
    ).pipe(describe("Switch one off; its files stay")),
    Command.make(
      "search",
      { query: Argument.String("query"), persona: runFlags.persona, json: runFlags.json },
      lazily(skills, (m) => m.search)
    ).pipe(describe("Find skills by the words of their names and descriptions")),
    Command.make(
      "install",
      {
        sources: Argument.String("source").pipe(Argument.variadic()),
        trust: on("trust", "Trust the text now, without a question: only for what you have read"),
        force: on("force", "Replace your own skill of the same name; it needs trust again"),
        frozen: on("frozen", "Install exactly what skills-lock.json says; names instead of sources")
      },
      lazily(installing, (m) => m.install)
    ).pipe(describe("Install from a folder, a zip, an https address or github:OWNER/REPO[/PATH][@REF]")),
    Command.make(
      "update",
      {
        names: Argument.String("name").pipe(Argument.variadic()),
        force: on("force", "Also over files that were changed by hand")
      },
      lazily(installing, (m) => m.update)
    ).pipe(describe("Fetch installed skills again; what changed needs trust again")),
    Command.make(
      "uninstall",
      { name: skillName },
      lazily(installing, (m) => m.uninstall)
    ).pipe(describe("Remove a skill of your own")),
    Command.make(
      "trust",
      { name: skillName },
      lazily(installing, (m) => m.trust)
    ).pipe(describe("Let the text of an installed skill reach the model, as it is now")),
    Command.make(
      "assign",
      {
        name: skillName,
        persona: runFlags.persona,
        remove: on("remove", "Take the assignment back")
      },
      lazily(installing, (m) => m.assign)
    ).pipe(describe("Give a skill to a persona")),
    Command.make(
      "validate",
      { paths: Argument.String("path").pipe(Argument.variadic({ min: 1 })), json: runFlags.json },
      lazily(authoring, (m) => m.validate)
    ).pipe(describe("Judge folders or their SKILL.md by the open specification")),
    Command.make(
      "new",
      {
        name: skillName,
        description: Flag.String("description").pipe(
          Flag.withMetavar("TEXT"),
          Flag.withDescription("What it does, and when to use it"),
          Flag.optional
        )
      },
      lazily(authoring, (m) => m.create)
    ).pipe(describe("Write the skeleton of a skill into your own skills"))
  ])
)
