/**
 * Search over the tools a persona may use: what `cow tools search` shows. The index follows the table of tools and
 * is built when the first search of a revision asks for it.
 */
import { type Permission, ToolGate, ToolManager } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LexicalIndex from "./LexicalIndex.ts"
import * as ToolDocument from "./ToolDocument.ts"
import * as ToolIndex from "./ToolIndex.ts"

export interface ToolSearchRequest {
  readonly query: string
  readonly topK: number
  readonly persona: string
  readonly permission: Permission.PermissionMode
  /** Absolute path. */
  readonly workspace: string
}

export interface ToolSearchResult {
  readonly name: string
  /** `""` for built-in and plugin tools. */
  readonly server: string
  readonly score: number
}

/** `all`: the query has no word to rank by. */
export interface ToolSearchAnswer {
  readonly query: string
  readonly mode: "lexical" | "all"
  /** Best first; equal ones by name. */
  readonly results: ReadonlyArray<ToolSearchResult>
}

export class ToolSearch extends Context.Service<
  ToolSearch,
  { readonly search: (request: ToolSearchRequest) => Effect.Effect<ToolSearchAnswer> }
>()("@cow/retrieval/ToolSearch") {
  static readonly layer: Layer.Layer<ToolSearch, never, ToolManager | ToolGate> = Layer.effect(
    ToolSearch,
    Effect.gen(function* () {
      const manager = yield* ToolManager
      const gate = yield* ToolGate

      return ToolSearch.of({
        search: Effect.fn("ToolSearch.search")(function* (request) {
          const { permission, persona, query, topK, workspace } = request
          const table = yield* manager.snapshot
          const blank = ToolDocument.nameKey(query) === ""
          const ranked = blank
            ? table.tools.map(({ tool }) => ({ id: tool.name, score: 0 }))
            : LexicalIndex.search(ToolIndex.of(table.tools), query, table.tools.length)
          const results: Array<ToolSearchResult> = []
          for (const { id, score } of [...ranked].sort(byScoreAndName)) {
            if (results.length >= topK) break
            const registered = table.byName.get(id)
            if (registered === undefined) continue
            const decision = yield* gate.decide({ persona, permission, workspace, registered })
            if (decision._tag !== "Deny")
              results.push({ name: id, server: registered.tool.spec.server, score })
          }
          return { query, mode: blank ? "all" : "lexical", results }
        })
      })
    })
  )
}

const byScoreAndName = (left: LexicalIndex.Hit, right: LexicalIndex.Hit): number =>
  right.score - left.score || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
