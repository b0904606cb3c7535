/**
 * Answers for a name that is no tool. Skills give their text here; whoever else knows the name may say so.
 *
 * When nobody knows the name the dispatcher's own answer lists the tools on offer.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Guest from "../model/Guest.ts"
import type { ToolResult } from "../model/ToolResult.ts"
import * as Registrations from "./Registrations.ts"

export interface UnknownToolRequest {
  readonly name: string
  readonly persona: string
  readonly workspace: string
  /** Names of the tools that this step sent. */
  readonly offered: ReadonlyArray<string>
}

export type Adviser = (request: UnknownToolRequest) => Effect.Effect<Option.Option<ToolResult>>

export class UnknownToolAdvice extends Context.Service<
  UnknownToolAdvice,
  {
    readonly register: (adviser: Adviser) => Effect.Effect<void, never, Scope.Scope>
    /** The first answer, in the order of registration. An adviser that fails or hangs is logged and passed over. */
    readonly advise: Adviser
  }
>()("@cow/core/UnknownToolAdvice") {
  static readonly layer: Layer.Layer<UnknownToolAdvice> = Layer.sync(UnknownToolAdvice, () => {
    const advisers = Registrations.make<Adviser>()
    const advise = Effect.fnUntraced(function* (request: UnknownToolRequest) {
      for (const adviser of advisers.entries()) {
        const answer = yield* Guest.orElse(
          `advice on the unknown tool "${request.name}"`,
          () => adviser(request),
          Option.none<ToolResult>(),
          Option.isOption
        )
        if (Option.isSome(answer)) return answer
      }
      return Option.none<ToolResult>()
    })
    return UnknownToolAdvice.of({ register: advisers.register, advise })
  })
}
