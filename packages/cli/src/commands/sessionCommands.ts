/** `cow session …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../layers/Lazily.ts"
import * as PageFlags from "../run/PageFlags.ts"
import { json } from "../run/RunFlags.ts"

const describe = Command.withDescription
const sessions = () => import("../actions/session.ts")

const sessionId = Argument.String("id")

export const session = Command.make("session").pipe(
  describe("Stored conversations"),
  Command.withSubcommands([
    Command.make(
      "list",
      { ...PageFlags.flags, json },
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
