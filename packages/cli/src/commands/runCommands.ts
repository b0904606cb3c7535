/** `cow run`, `cow chat`, `cow approve`, `cow deny`, `cow serve`: their arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import * as runFlags from "../run/RunFlags.ts"

const describe = Command.withDescription
export const run = Command.make(
  "run",
  {
    prompt: Argument.String("prompt").pipe(
      Argument.withDescription("What to do; - or nothing reads standard input"),
      Argument.optional
    ),
    ...runFlags.run
  },
  lazily(
    () => import("../actions/run.ts"),
    (m) => m.run
  )
).pipe(describe("Work off one message"))

export const chat = Command.make(
  "chat",
  runFlags.run,
  lazily(
    () => import("../actions/chat.ts"),
    (m) => m.chat
  )
).pipe(describe("Talk: one message a line; also what `cow` alone does"))

const approvals = () => import("../actions/approval.ts")

const waiting = { run: Argument.String("run").pipe(Argument.optional), output: runFlags.output }

export const approve = Command.make(
  "approve",
  waiting,
  lazily(approvals, (m) => m.approve)
).pipe(describe("Let the call that a run waits for be made, and the run go on"))

export const deny = Command.make(
  "deny",
  waiting,
  lazily(approvals, (m) => m.deny)
).pipe(describe("Refuse the call that a run waits for, and end the run"))

export const serve = Command.make(
  "serve",
  {
    host: Flag.String("host").pipe(
      Flag.withDescription("Anything but a loopback address needs a token"),
      Flag.withDefault("127.0.0.1")
    ),
    port: runFlags
      .number("port", "a port from 0 to 65535", (port) => Number.isInteger(port) && port <= 65_535)
      .pipe(Flag.withMetavar("PORT"), Flag.withDescription("0 takes any free one"), Flag.withDefault(4747)),
    token: Flag.String("token").pipe(
      Flag.withDescription("What every request must carry; COW_TOKEN if absent"),
      Flag.optional
    ),
    model: runFlags.model,
    permission: runFlags.permission,
    maxSteps: runFlags.run.maxSteps
  },
  lazily(
    () => import("../actions/serve.ts"),
    (m) => m.serve
  )
).pipe(describe("Offer the HTTP API"))
