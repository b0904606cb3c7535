/** Keeps what an agent starts from giving the agent more: every process of a run has `COW_RUN_ID` set. */
import * as Effect from "effect/Effect"
import { failed } from "../command/ExitCode.ts"
import { Environment } from "../settings/Environment.ts"

/** Fails with exit 1 when this process belongs to a run. */
export const refuse = (what: string) =>
  Effect.flatMap(Environment, ({ variables }) =>
    variables.COW_RUN_ID
      ? Effect.fail(
          failed(`${what} is a person's to do: it is refused inside a run (${variables.COW_RUN_ID})`)
        )
      : Effect.void
  )
