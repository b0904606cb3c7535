/**
 * Puts the calls of a chat completion together from their pieces, whatever a provider splits, repeats or leaves out:
 * names in pieces or repeated whole, ids late or changing, indexes shared or missing, arguments cut anywhere. Pure.
 *
 * Which of several readings is meant is decided by the tools the request offered (`ToolNames`). Whether calls may run
 * is not judged here.
 */
import { objectIn } from "../ReceivedText.ts"

/** One piece, blank texts left out. */
export interface CallPiece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
  /** What the provider wants to see again with the call. */
  readonly extra: unknown
}

export interface PiecedCall extends CallPiece {
  readonly name: string
}

/** The tools of the request. */
export interface ToolNames {
  readonly has: (name: string) => boolean
  /** Whether a name begins like this, or is this. */
  readonly begin: (start: string) => boolean
}

const begins = (written: string): boolean => written.trimStart().startsWith("{")
const isBlank = (written: string): boolean => written.trim() === ""
const isWhole = (written: string): boolean => objectIn(written) !== undefined

/** The name so far with one more piece: joined where that leads to a tool, else the longer one, being told again. */
const joinName = (before: string, piece: string, names: ToolNames): string => {
  if (before === "" || (piece === before && names.has(before))) return piece
  const joined = before + piece
  if (names.begin(joined)) return joined
  if (piece.startsWith(before)) return piece
  // What is told again is no news.
  return before.endsWith(piece) && names.has(before) ? before : joined
}

/** Whether a named piece tells more of this call, rather than being the start of another. */
const namedContinues = (call: PiecedCall, piece: CallPiece & { readonly name: string }, names: ToolNames) => {
  const otherId = piece.id !== undefined && call.id !== undefined && piece.id !== call.id
  if (call.name === "") return !otherId || piece.index !== undefined
  if (begins(piece.arguments) && isWhole(call.arguments))
    return piece.id !== undefined && piece.id === call.id && piece.arguments === call.arguments
  if (!names.has(piece.name) && (!otherId || names.begin(call.name + piece.name))) return true
  const toldAgain = piece.name === call.name || (piece.name.startsWith(call.name) && !names.has(call.name))
  if (!otherId) return toldAgain || (!names.has(call.name) && names.begin(call.name + piece.name))
  // Ids that change with every piece: only arguments that go on tell such a piece from another call.
  return toldAgain && !begins(piece.arguments) && !isBlank(call.arguments) && !isWhole(call.arguments)
}

const continues = (call: PiecedCall, piece: CallPiece, names: ToolNames): boolean => {
  const { name } = piece
  if (name !== undefined) return namedContinues(call, { ...piece, name }, names)
  const otherId = piece.id !== undefined && call.id !== undefined && piece.id !== call.id
  if (!otherId) return true
  // Another id, and its name may come late: nothing but an id can follow whole arguments.
  return !isWhole(call.arguments) || !(begins(piece.arguments) || isBlank(piece.arguments))
}

/** The call that a piece would belong to, if it belongs to any. */
const candidate = (calls: ReadonlyArray<PiecedCall>, { id, index, name }: CallPiece): number => {
  const byId = (from: (call: PiecedCall) => boolean): number =>
    id === undefined ? -1 : calls.findLastIndex((call) => call.id === id && from(call))
  if (index === undefined) {
    const own = byId(() => true)
    return own >= 0 ? own : calls.length - 1
  }
  const own = byId((call) => call.index === index)
  if (own >= 0) return own
  const there = calls.findLastIndex((call) => call.index === index)
  if (there >= 0) return there
  if (name !== undefined) return byId((call) => call.index === undefined)
  if (id !== undefined) return byId(() => true)
  return calls.at(-1)?.index === undefined ? calls.length - 1 : -1
}

const merged = (call: PiecedCall, piece: CallPiece, names: ToolNames): PiecedCall => ({
  index: call.index ?? piece.index,
  id: call.id ?? piece.id,
  name: piece.name === undefined ? call.name : joinName(call.name, piece.name, names),
  // Nothing can follow whole arguments, so the same once more is an echo.
  arguments:
    piece.arguments === call.arguments && isWhole(call.arguments)
      ? call.arguments
      : call.arguments + piece.arguments,
  extra: call.extra ?? piece.extra
})

/** The calls with one more piece, in the order of their first ones. */
export const add = (
  calls: ReadonlyArray<PiecedCall>,
  piece: CallPiece,
  names: ToolNames
): ReadonlyArray<PiecedCall> => {
  const at = candidate(calls, piece)
  const call = calls[at]
  return call !== undefined && continues(call, piece, names)
    ? calls.with(at, merged(call, piece, names))
    : [...calls, { ...piece, name: piece.name ?? "" }]
}

/** In the order of their indexes where all have one; what has neither name nor arguments is no call. */
export const ordered = (calls: ReadonlyArray<PiecedCall>): ReadonlyArray<PiecedCall> => {
  const real = calls.filter((call) => call.name !== "" || !isBlank(call.arguments))
  return real.every(({ index }) => index !== undefined)
    ? real.toSorted((left, right) => (left.index as number) - (right.index as number))
    : real
}
