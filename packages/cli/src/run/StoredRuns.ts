/** Runs as a person names them: by an id that may be mistyped, or not at all. What is in the store is `RunStore`'s. */
import { type Run, RunStore } from "@cow/core"
import * as Effect from "effect/Effect"
import { badUsage } from "../command/ExitCode.ts"
import { noSuch } from "../command/NoSuch.ts"
import { compact } from "../terminal/Printable.ts"

const maxShownChars = 80

/** Near names are looked for among the newest. */
const maxLookedAt = 1_000

/** More would not be read. */
const maxNamed = 10

const shortened = (text: string): string =>
  text.length > maxShownChars ? `${text.slice(0, maxShownChars - 1)}…` : text

/** What a run waits for, in one line; `""`: for nothing. */
export const waitsFor = ({ pending }: Run.Run): string =>
  pending === null ? "" : `${pending.tool} ${shortened(compact(JSON.stringify(pending.input)))}`

/** Fails with exit 42 and near names when there is none. */
export const named = Effect.fnUntraced(function* (id: string) {
  const store = yield* RunStore
  return yield* store.get(id).pipe(
    Effect.catchTag("RunNotFound", () =>
      Effect.flatMap(store.list({ limit: maxLookedAt }), ({ items }) =>
        Effect.fail(
          noSuch(
            "run",
            id,
            items.map((run) => run.id)
          )
        )
      )
    )
  )
})

/** Why `command` cannot go on without RUN: those that wait are named. */
export const unnamed = Effect.fnUntraced(function* (command: "approve" | "deny") {
  const { items } = yield* Effect.flatMap(RunStore, (store) =>
    store.list({ status: "waiting_approval", limit: maxNamed })
  )
  const waiting = items.map((run) => `${run.id} (${waitsFor(run)})`).join(", ")
  return yield* badUsage(
    `cow ${command}: RUN is missing; ${waiting === "" ? "no run waits for approval" : `these wait for approval: ${waiting}`}`
  )
})
