/**
 * One edit of a text: which place an old text means, and the text after it. Pure. Exact places first, then without
 * the gutters of `read`, then with other blanks (`LooseMatch`); line ends are `LineEnds`.
 */
import * as Result from "effect/Result"
import * as LineEnds from "./LineEnds.ts"
import * as LineGutter from "./LineGutter.ts"
import * as LooseMatch from "./LooseMatch.ts"

interface EditRequest {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

export type EditRefused =
  | { readonly _tag: "Same" }
  | { readonly _tag: "Echo" }
  /** `nearest`: the line of the text that is most like the one looked for, from 1. */
  | { readonly _tag: "NotFound"; readonly nearest?: { readonly line: number; readonly text: string } }
  | { readonly _tag: "Ambiguous"; readonly count: number }

interface Edited {
  readonly text: string
  readonly replacements: number
}

interface Part extends LooseMatch.Hit {
  readonly text: string
}

const exactHits = (text: string, wanted: string): ReadonlyArray<LooseMatch.Hit> => {
  const hits: Array<LooseMatch.Hit> = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    hits.push({ start: at, end: at + wanted.length })
  return hits
}

/** Where `wanted` stands, with what to write there. */
const locate = (text: string, wanted: string, replacement: string): ReadonlyArray<Part> => {
  const exact = exactHits(text, wanted)
  if (exact.length > 0) return exact.map((hit) => ({ ...hit, text: replacement }))
  return LooseMatch.find(text, wanted).map((hit) => ({
    ...hit,
    text: LooseMatch.rewrite(text.slice(hit.start, hit.end), wanted, replacement)
  }))
}

/** The nearest line is looked for among so many. */
const maxComparedLines = 20_000

const grams = (line: string): ReadonlyMap<string, number> => {
  const text = line.replace(/\s+/g, " ").trim().toLowerCase().slice(0, 200)
  const counts = new Map<string, number>()
  for (let at = 0; at + 1 < text.length; at++) {
    const gram = text.slice(at, at + 2)
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  return counts
}

/** Sørensen–Dice coefficient of the character pairs. */
const likeness = (left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number => {
  let [common, all] = [0, 0]
  for (const [gram, count] of left) {
    common += Math.min(count, right.get(gram) ?? 0)
    all += count
  }
  for (const count of right.values()) all += count
  return all === 0 ? 0 : (2 * common) / all
}

const nearestLine = (text: string, wanted: string): EditRefused => {
  const first = grams(wanted.split("\n").find((line) => line.trim() !== "") ?? "")
  let best = { score: 0.5, line: 0, text: "" }
  text.split("\n", maxComparedLines).forEach((line, at) => {
    const score = likeness(first, grams(line))
    if (score > best.score) best = { score, line: at + 1, text: line }
  })
  return best.line === 0
    ? { _tag: "NotFound" }
    : { _tag: "NotFound", nearest: { line: best.line, text: best.text } }
}

/** A blank old text means: at the end, on a line of its own. */
const append = (text: string, addition: string): Part => ({
  start: text.length,
  end: text.length,
  text: text === "" || text.endsWith("\n") ? addition : `\n${addition}`
})

const places = (text: string, wanted: string, replacement: string): ReadonlyArray<Part> => {
  if (exactHits(text, wanted).length > 0) return locate(text, wanted, replacement)
  const bare = LineGutter.strip(wanted)
  if (bare !== undefined) return locate(text, bare, LineGutter.strip(replacement) ?? replacement)
  return locate(text, wanted, replacement)
}

/** The text after the edit, its line ends, BOM and untouched parts as they were. */
export const apply = (raw: string, request: EditRequest): Result.Result<Edited, EditRefused> => {
  const document = LineEnds.parse(raw)
  const wanted = LineEnds.toUnix(request.oldText).replace(/^\ufeff/, "")
  const replacement = LineEnds.toUnix(request.newText).replace(/^\ufeff/, "")
  if (wanted === replacement) return Result.fail({ _tag: "Same" })
  const blank = wanted.trim() === ""
  // Lines that the file itself has in this form may be written in this form.
  if (LineGutter.isEcho(replacement) && LineGutter.strip(wanted) === undefined)
    return Result.fail({ _tag: "Echo" })
  const parts = blank ? [append(document.text, replacement)] : places(document.text, wanted, replacement)
  if (parts.length === 0) return Result.fail(nearestLine(document.text, wanted))
  if (parts.length > 1 && !request.replaceAll) return Result.fail({ _tag: "Ambiguous", count: parts.length })
  const text = LineEnds.replace(document, parts)
  return text === raw ? Result.fail({ _tag: "Same" }) : Result.succeed({ text, replacements: parts.length })
}
