/** What a command does, before it is known where its paths lie. Pure values; `CommandFindings` places the paths. */
import type { CommandWord } from "./CommandWord.ts"

export type CommandEffect =
  | { readonly _tag: "Reads" }
  /** Changes these paths. A path that is not known is asked about. */
  | { readonly _tag: "Writes"; readonly paths: ReadonlyArray<CommandWord> }
  /** May change things; what and where is not known. */
  | { readonly _tag: "Asks"; readonly reason: string }
  | { readonly _tag: "Escapes"; readonly reason: string }
  | { readonly _tag: "Never"; readonly reason: string }

/** What is known of a command without looking at files: what it writes is placed, and no longer an effect. */
export type PlacedEffect = Exclude<CommandEffect, { readonly _tag: "Writes" }>

export const reads = { _tag: "Reads" } as const satisfies PlacedEffect
export const writes = (paths: ReadonlyArray<CommandWord>): CommandEffect => ({ _tag: "Writes", paths })
export const asks = (reason: string): CommandEffect => ({ _tag: "Asks", reason })
export const escapes = (reason: string): CommandEffect => ({ _tag: "Escapes", reason })
export const never = (reason: string): CommandEffect => ({ _tag: "Never", reason })

/** What a command of one name does with its arguments. */
export type CommandRule = (args: ReadonlyArray<CommandWord>) => CommandEffect
