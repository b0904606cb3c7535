/**
 * Who works on a run: one agent of one process. Plain data, so that another process, on another machine, can say who
 * it was. Whether a process is still there only its own machine knows: that is the stores' that can ask it.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

export const RunOwner = Schema.Struct({
  /** Tells machines apart, and the starts of one machine; `""` where that is not known. */
  machine: Schema.String,
  /** 0 where it is not known. */
  pid: Schema.Number,
  /** When the process started, as its machine counts: a later process may be given the same pid. */
  startedAt: Schema.String,
  /** By chance, one for each process. */
  token: Schema.String
})
export type RunOwner = typeof RunOwner.Type

/** What takes a run: its owner, and for how long from now it is the owner's unless it is renewed. */
export interface Claim {
  readonly owner: RunOwner
  readonly lease: Duration.Duration
}

export const anonymous = (): RunOwner => ({
  machine: "",
  pid: 0,
  startedAt: "",
  token: crypto.randomUUID()
})

/** This process. Unless a layer tells more, a dead one is known by its lease alone. */
export const current = Context.Reference<RunOwner>("@cow/core/RunOwner", { defaultValue: anonymous })
