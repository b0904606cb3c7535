/**
 * A list or map in brackets, parted into its items as an author sees them, also where YAML would not: `[*.md files,
 * *.{md,ts}]`. Pure; what an item means is not looked at.
 */

export interface FlowList {
  readonly open: "[" | "{"
  /** Between the commas, as written, without the blanks around them; a last empty one is left out. */
  readonly items: ReadonlyArray<string>
  /** Behind the closing bracket. */
  readonly rest: string
}

const closing: Readonly<Record<string, string>> = { "[": "]", "{": "}" }

/** Index of the quote that closes the one at `from`, or -1. */
const endOfQuote = (text: string, from: number): number => {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at++
    else if (text[at] === quote) return at
  }
  return -1
}

/** Undefined where the text begins with no bracket, or its brackets do not close as they were opened. */
const part = (text: string): FlowList | undefined => {
  const open = text[0]
  if (open !== "[" && open !== "{") return undefined
  const items: Array<string> = []
  const awaited = [closing[open]]
  let from = 1
  // A quote is one only where a value begins; elsewhere it is an apostrophe.
  let begins = true
  for (let at = 1; at < text.length; at++) {
    const sign = text[at] as string
    const end: number = begins && (sign === '"' || sign === "'") ? endOfQuote(text, at) : -1
    if (end > 0) at = end
    else if (sign === "[" || sign === "{") awaited.push(closing[sign])
    else if (sign === "]" || sign === "}") {
      if (awaited.pop() !== sign) return undefined
      if (awaited.length === 0) {
        const last = text.slice(from, at).trim()
        return { open, items: last === "" ? items : [...items, last], rest: text.slice(at + 1) }
      }
    } else if (sign === "," && awaited.length === 1) {
      items.push(text.slice(from, at).trim())
      from = at + 1
    }
    if (!/\s/.test(sign)) begins = end < 0 && /[,:[{]/.test(sign)
  }
  return undefined
}

/** Only where nothing but a comment stands behind it. */
export const alone = (text: string): FlowList | undefined => {
  const list = part(text)
  return list !== undefined && /^\s*(?:#.*)?$/.test(list.rest) ? list : undefined
}

/** Written again, in one line. */
export const join = ({ open, items, rest }: FlowList): string =>
  `${open}${items.join(", ")}${closing[open]}${rest}`
