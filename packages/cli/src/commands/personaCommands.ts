/** `cow persona …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import { json } from "../run/RunFlags.ts"

const describe = Command.withDescription
const personas = () => import("../actions/persona.ts")

const personaId = Argument.String("id")

export const persona = Command.make("persona").pipe(
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
