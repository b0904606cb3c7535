/** `cow init`, `cow config …`, `cow trust`, `cow doctor`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import { json, servers } from "../run/RunFlags.ts"

const describe = Command.withDescription
const settings = () => import("../actions/settings.ts")

export const init = Command.make(
  "init",
  {},
  lazily(settings, (m) => m.init)
).pipe(describe("Write a config.json that suits most people"))

export const config = Command.make("config").pipe(
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

export const trust = Command.make(
  "trust",
  {
    folders: Argument.String("dir").pipe(Argument.variadic()),
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Do not ask on a terminal"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  lazily(
    () => import("../actions/trust.ts"),
    (m) => m.trust
  )
).pipe(describe("Show what project folders would bring, and let it count"))

export const doctor = Command.make(
  "doctor",
  {
    json,
    offline: Flag.Boolean("offline").pipe(
      Flag.withDescription("Do not try whether the model answers"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    ...servers
  },
  lazily(
    () => import("../actions/doctor.ts"),
    (m) => m.doctor
  )
).pipe(describe("Say what was found here, and what keeps something from working"))
