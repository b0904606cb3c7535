/** `cow completion SHELL`: the script that completes Cow's commands and flags. */
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { Output } from "../terminal/Output.ts"

export const completion = (root: Command.Command.Any) =>
  Effect.fnUntraced(function* (input: { readonly shell: Completions.Shell }) {
    const script = Completions.generate(root.name, input.shell, Completions.fromCommand(root)).replaceAll(
      // How the script says it is installed.
      `${root.name} --completions ${input.shell}`,
      `${root.name} completion ${input.shell}`
    )
    yield* Effect.flatMap(Output, (output) => output.raw(script.endsWith("\n") ? script : `${script}\n`))
  })
