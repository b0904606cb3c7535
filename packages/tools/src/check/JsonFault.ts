/** Where a text stops being JSON. Pure; the engine's own parser does not tell the place. */
import type { Fault } from "./Fault.ts"

const space = /[ \t\r\n]*/y
// From the blank up, but for the quote and the backslash.
const text = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

class Stop {
  constructor(
    readonly at: number,
    readonly message: string
  ) {}
}

/** Walks one value; gives the place behind it. The stack is explicit: depth is bounded by memory only. */
const walk = (source: string): number => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(source)) return false
    at = pattern.lastIndex
    return true
  }
  const eat = (char: string): boolean => {
    take(space)
    if (source[at] !== char) return false
    at++
    return true
  }
  const stop = (wanted: string): never => {
    const found = at >= source.length ? "the text ends" : `found ${JSON.stringify(source[at])}`
    throw new Stop(at, `${wanted} expected, ${found}`)
  }
  const key = () => {
    take(space)
    if (!take(text)) stop("a quoted key")
    if (!eat(":")) stop('":"')
  }
  const open: Array<"}" | "]"> = []
  for (;;) {
    take(space)
    if (eat("{")) {
      if (!eat("}")) {
        open.push("}")
        key()
        continue
      }
    } else if (eat("[")) {
      if (!eat("]")) {
        open.push("]")
        continue
      }
    } else if (!(take(text) || take(number) || take(word))) stop("a value")
    // A value is complete: close what ends here, or go on to the next member.
    for (;;) {
      const end = open.at(-1)
      if (end === undefined) {
        take(space)
        if (at < source.length) stop("the end of the text")
        return at
      }
      if (eat(end)) {
        open.pop()
        continue
      }
      if (!eat(",")) stop(`"," or "${end}"`)
      if (end === "}") key()
      break
    }
  }
}

/** The first fault, or `undefined` for valid JSON. */
export const find = (source: string): Fault | undefined => {
  try {
    walk(source.replace(/^\ufeff/, ""))
    return undefined
  } catch (cause) {
    if (!(cause instanceof Stop)) throw cause
    return { line: source.slice(0, cause.at).split("\n").length, message: cause.message }
  }
}
