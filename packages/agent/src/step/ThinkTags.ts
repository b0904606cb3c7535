/**
 * Tells thinking from text in replies whose provider sends both as text, with `<think>…</think>` around the
 * thinking. Tags may be split over any number of pieces. Pure. A tag right behind a backtick is text about tags.
 */

export interface ThinkState {
  readonly inside: boolean
  /** The end of what came so far, held back because it may be the beginning of a tag. */
  readonly held: string
  /** The last character given out as text. */
  readonly last: string
}

export const initial: ThinkState = { inside: false, held: "", last: "" }

export interface Segment {
  readonly kind: "text" | "reasoning"
  readonly text: string
}

const tags = { text: "<think>", reasoning: "</think>" } as const

/** The length of the longest beginning of `tag` that `text` ends with. */
const overlap = (text: string, tag: string): number => {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size--)
    if (text.endsWith(tag.slice(0, size))) return size
  return 0
}

/** Takes one more piece. Segments are never empty. */
export const push = (state: ThinkState, piece: string): readonly [ThinkState, ReadonlyArray<Segment>] => {
  const segments: Array<Segment> = []
  let { inside, last } = state
  let rest = state.held + piece
  const give = (text: string) => {
    if (text === "") return
    segments.push({ kind: inside ? "reasoning" : "text", text })
    if (!inside) last = text.at(-1) as string
  }
  for (;;) {
    const tag = inside ? tags.reasoning : tags.text
    const at = rest.indexOf(tag)
    if (at < 0) break
    const before = at > 0 ? rest[at - 1] : last
    if (!inside && before === "`") {
      give(rest.slice(0, at + tag.length))
      rest = rest.slice(at + tag.length)
      continue
    }
    give(rest.slice(0, at))
    rest = rest.slice(at + tag.length)
    inside = !inside
  }
  const held = overlap(rest, inside ? tags.reasoning : tags.text)
  give(rest.slice(0, rest.length - held))
  return [{ inside, held: rest.slice(rest.length - held), last }, segments]
}

/** What is still held back when the reply ends. */
export const end = ({ held, inside }: ThinkState): ReadonlyArray<Segment> =>
  held === "" ? [] : [{ kind: inside ? "reasoning" : "text", text: held }]
