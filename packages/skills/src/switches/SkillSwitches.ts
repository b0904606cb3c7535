/**
 * The file `skills_config.json`: read, changed under a lock that other processes respect (`LockedFile`), and written
 * only when its content changes. What is in it is `SwitchTable`.
 */
import { Diagnostic } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as LockedFile from "./LockedFile.ts"
import { decode, encode, type SwitchTable } from "./SwitchTable.ts"

export interface ReadSwitches {
  readonly table: SwitchTable
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** @param file absolute path of `skills_config.json` */
export const make = Effect.fnUntraced(function* (file: string) {
  const { locked, read, setAside, write } = yield* LockedFile.make(file, "the switches")

  const parsed = (text: string): ReadSwitches & { readonly broken: boolean } =>
    Result.match(decode(text), {
      onFailure: ({ message }) => ({
        table: new Map(),
        broken: true,
        diagnostics: [
          Diagnostic.warning(file, `${message}; it is kept as ${file}.bak and every switch is at its default`)
        ]
      }),
      onSuccess: ({ table, refused }) => ({
        table,
        broken: false,
        diagnostics: refused.map((key) =>
          Diagnostic.warning(file, `the entry ${JSON.stringify(key)} is no switch and counts as absent`)
        )
      })
    })

  /** `""` counts as an empty object: a file just made. */
  const load = Effect.map(read, (text) => parsed(Option.getOrElse(text, () => "").trim() || "{}"))

  /**
   * Reads, lets `change` make the next table, and writes it when it differs. `change` may run twice: on what is read
   * first, and again under the lock when there is something to write.
   */
  const update = Effect.fn("SkillSwitches.update")(function* (change: (table: SwitchTable) => SwitchTable) {
    const first = yield* load
    const same = (table: SwitchTable, next: SwitchTable) => encode(table) === encode(next)
    if (!first.broken && same(first.table, change(first.table)))
      return { table: first.table, diagnostics: first.diagnostics } satisfies ReadSwitches
    return yield* locked(
      Effect.gen(function* () {
        const { table, diagnostics, broken } = yield* load
        if (broken) yield* setAside
        const next = change(table)
        if (!same(table, next)) yield* write(encode(next))
        return { table: next, diagnostics } satisfies ReadSwitches
      })
    )
  })

  return {
    /** As it is on disk; nothing is written. */
    read: Effect.map(load, ({ table, diagnostics }): ReadSwitches => ({ table, diagnostics })),
    update
  }
})
