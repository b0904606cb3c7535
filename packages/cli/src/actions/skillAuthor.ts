/** `cow skill validate|new`: for people who write skills. */
import { type InstallRefused, SkillSkeleton, SkillValidation } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"

/** Exit 0: all are valid; 1: not, with every problem on stderr. `--json`: one verdict, or a list where several were asked for. */
export const validate = Effect.fnUntraced(function* (input: {
  readonly paths: ReadonlyArray<string>
  readonly json: boolean
}) {
  const output = yield* Output
  const verdicts = yield* Effect.forEach(input.paths, SkillValidation.read)
  if (input.json) yield* output.json(verdicts.length === 1 ? verdicts[0] : { skills: verdicts })
  for (const { path, problems, valid } of verdicts) {
    for (const { line, message, severity } of problems)
      yield* output.note(`${path}${line === null ? "" : `:${line}`}: ${severity}: ${message}`)
    if (valid && !input.json) yield* output.note(`${path}: valid`)
  }
  if (verdicts.some(({ valid }) => !valid)) return yield* failed("")
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
