/** `cow runs …`: arguments, flags and help. */
import { Run } from "@cow/core"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import * as PageFlags from "../run/PageFlags.ts"
import { json } from "../run/RunFlags.ts"

const describe = Command.withDescription
const actions = () => import("../actions/runs.ts")

const runId = Argument.String("run")

export const runs = Command.make("runs").pipe(
  describe("Runs: which there are, and what they wait for"),
  Command.withSubcommands([
    Command.make(
      "list",
      {
        session: Flag.String("session").pipe(
          Flag.withMetavar("ID"),
          Flag.withDescription("Those of this session only"),
          Flag.optional
        ),
        status: Flag.Literals("status", Run.RunStatus.literals).pipe(
          Flag.withDescription("Those that stand so only"),
          Flag.optional
        ),
        ...PageFlags.flags,
        json
      },
      lazily(actions, (m) => m.list)
    ).pipe(describe("List runs, the newest first")),
    Command.make(
      "show",
      { run: runId, json },
      lazily(actions, (m) => m.show)
    ).pipe(describe("Show one, with the call it waits for")),
    Command.make(
      "cancel",
      { run: runId },
      lazily(actions, (m) => m.cancel)
    ).pipe(describe("End one, also where another process works on it"))
  ])
)
