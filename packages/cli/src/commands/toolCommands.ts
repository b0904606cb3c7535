/** `cow tools …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import * as runFlags from "../run/RunFlags.ts"

const describe = Command.withDescription
const listed = () => import("../actions/toolList.ts")
const asked = () => import("../actions/toolAsk.ts")
const called = () => import("../actions/toolCall.ts")

export const who = {
  persona: runFlags.persona,
  permission: runFlags.permission,
  json: runFlags.json,
  ...runFlags.servers
}

const toolName = Argument.String("name")

export const toolsCommand = Command.make("tools").pipe(
  describe("The tools the agent can call"),
  Command.withSubcommands([
    Command.make(
      "list",
      who,
      lazily(listed, (m) => m.list)
    ).pipe(describe("List all, with what a persona may not use and why")),
    Command.make(
      "search",
      {
        query: Argument.String("query"),
        topK: runFlags.count("top-k").pipe(Flag.withMetavar("N"), Flag.withDefault(10)),
        ...who
      },
      lazily(asked, (m) => m.search)
    ).pipe(describe("Find tools by words")),
    Command.make(
      "explain",
      { name: toolName, ...who },
      lazily(asked, (m) => m.explain)
    ).pipe(describe("Say check by check why a persona may use a tool, or why not")),
    Command.make(
      "call",
      {
        name: toolName,
        input: Flag.String("input").pipe(
          Flag.withMetavar("JSON"),
          Flag.withDescription("The arguments; - reads standard input"),
          Flag.withDefault("{}")
        ),
        ...who
      },
      lazily(called, (m) => m.call)
    ).pipe(describe("Call one through the same checks as a model's call"))
  ])
)
