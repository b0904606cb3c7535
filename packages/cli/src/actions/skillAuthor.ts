/** `cow skill validate|new`: for people who write skills. */
import { type InstallRefused, SkillSkeleton, SkillValidation } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"

/** Exit 0: valid; 1: not, with every problem on stderr. */
export const validate = Effect.fnUntraced(function* (input: {
  readonly path: string
  readonly json: boolean
}) {
  const output = yield* Output
  const verdict = yield* SkillValidation.read(input.path)
  const { path, problems, valid } = verdict
  if (input.json) yield* output.json(verdict)
  for (const { line, message, severity } of problems)
    yield* output.note(`${path}${line === null ? "" : `:${line}`}: ${severity}: ${message}`)
  if (!valid) return yield* failed("")
  if (!input.json) yield* output.note(`${path}: valid`)
})

export const create = Effect.fnUntraced(
  function* (input: { readonly name: string; readonly description: Option.Option<string> }) {
    const output = yield* Output
    const { paths } = yield* UserHome
    const description = Option.getOrElse(input.description, () => SkillSkeleton.defaultDescription)
    const path = yield* Path.Path
    yield* output.text(yield* SkillSkeleton.create(path.resolve(paths.skills), input.name, description))
  },
  Effect.catchTag("InstallRefused", ({ code, message }: InstallRefused) =>
    failed(`${code}: ${message}`, code === "unwritable" ? ExitCode.failure : ExitCode.badInput)
  ),
  Effect.provide(UserHome.layer)
)
