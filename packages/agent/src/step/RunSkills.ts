/** The skills there are for a run. A catalogue that fails or hangs costs the run its cards, and nothing more. */
import { Guest, SkillCatalog } from "@cow/core"
import * as Effect from "effect/Effect"
import type { RunScene } from "../run/RunScene.ts"

export const cards = Effect.fnUntraced(function* ({ request }: Pick<RunScene, "request">) {
  const catalog = yield* SkillCatalog
  return yield* Guest.orElse(
    "the catalogue of skills",
    () => catalog.cards(request.persona, request.workspace),
    [],
    Array.isArray
  )
})
