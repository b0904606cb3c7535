/** Permission modes: how far a run may go without asking. The matrix of mode and call is `PermissionPolicy`. */
import * as Schema from "effect/Schema"

export const PermissionMode = Schema.Literals(["read-only", "workspace-write", "full-access"])
export type PermissionMode = typeof PermissionMode.Type

const isMode = Schema.is(PermissionMode)

/** An unknown word acts as `read-only`; `known` says whether to warn. */
export const parse = (word: string): { readonly mode: PermissionMode; readonly known: boolean } =>
  isMode(word) ? { mode: word, known: true } : { mode: "read-only", known: false }

const rank: Record<PermissionMode, number> = { "read-only": 0, "workspace-write": 1, "full-access": 2 }

/** The stricter of two modes. */
export const stricter = (left: PermissionMode, right: PermissionMode): PermissionMode =>
  rank[left] <= rank[right] ? left : right
