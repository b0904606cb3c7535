/**
 * What a terminal would have shown, as plain text: escape sequences go, a line that is drawn again counts as its last
 * state, other control characters are written out. Pure and piece by piece; bytes and bounds are `OutputCapture`.
 */
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this is about

/** A line longer than this is given out before it ends, and cannot be drawn again as a whole. */
const maxHeldChars = 8192
/** A title or link longer than this is none. */
const maxStringChars = 4096

/** All but control characters; a tab is text. */
const plain = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y
/** `ESC [ … letter`: colours, erasing, moving. */
const control = /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])/y
/** `ESC ] … BEL` and its like: titles, links, what only the terminal reads. */
const string = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x0a\x1b\x9c]*(?:\x07|\x1b\\|\x9c)/y
/** `ESC` and a letter: character sets, saved places. */
const short = /\x1b[ -/]*[0-OQ-WYZ\\`-~]/y
/** What may become one of these when more comes. */
const unfinished =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[ -/]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x0a\x1b\x9c]*\x1b?)$/y
/** The beginning of one that does not go on as it should: the rest of it is text. */
const broken = /(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[\]PX^_]?|[\x90\x98\x9b\x9d-\x9f]/y

/** Characters that mean nothing here. */
const others = /[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c]+/y

/** Moves to another line or column: what follows is not the same text. */
const moving = new Set("ABEFHdef")

interface TerminalText {
  /** The text that is finished: whole lines. */
  readonly push: (text: string) => string
  /** The line so far, taken as finished: what is drawn over it later is a line of its own. */
  readonly flush: () => string
  /** The line so far, which may be drawn again. */
  readonly line: () => string
  /** Nothing follows: what is left. */
  readonly end: () => string
}

const written = (char: string): string => {
  if (char === "\x07") return ""
  if (char === "\0") return "\\0"
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`
}

const withoutLast = (text: string, count: number): string => {
  let end = text.length
  for (let left = count; left > 0 && end > 0; left--) end -= (text.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

export const make = (): TerminalText => {
  let line = ""
  /** A part of the line is given out. */
  let isBegun = false
  /** Behind a carriage return: what comes next draws the line again. */
  let isReturned = false
  let backspaces = 0
  let held = ""
  let out = ""

  const erase = () => {
    if (isBegun) out += "\n"
    isBegun = false
    line = ""
  }
  const write = (text: string) => {
    if (isReturned) erase()
    if (backspaces > 0) line = withoutLast(line, backspaces)
    isReturned = false
    backspaces = 0
    line += text
  }
  const finish = () => {
    out += `${line}\n`
    line = ""
    isBegun = false
    isReturned = false
    backspaces = 0
  }
  const give = () => {
    if (line === "") return
    out += line
    line = ""
    isBegun = true
  }

  const obey = (parameters: string, letter: string) => {
    if (letter === "K") {
      if (parameters === "1" || parameters === "2" || isReturned) erase()
    } else if (letter === "G") isReturned ||= /^[01]?$/.test(parameters)
    else if (letter === "C") write(" ")
    else if (moving.has(letter) && line !== "") finish()
  }

  const read = (input: string, isLast: boolean): string => {
    let at = 0
    const take = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at
      const found = pattern.exec(input)
      if (found !== null) at = pattern.lastIndex
      return found
    }
    while (at < input.length) {
      const text = take(plain)?.[0]
      if (text !== undefined) {
        write(text)
        continue
      }
      const odd = take(others)?.[0].replace(/[\s\S]/g, written)
      if (odd !== undefined) {
        if (odd !== "") write(odd)
        continue
      }
      const char = input[at]
      if (char === "\n" || char === "\r" || char === "\b") {
        at++
        if (char === "\n") finish()
        else if (char === "\r") isReturned = true
        else if (!isReturned) backspaces++
        continue
      }
      const found = take(control)
      if (found !== null) {
        obey(found[1] ?? "", found[2] ?? "")
        continue
      }
      if (take(string) !== null || take(short) !== null) continue
      unfinished.lastIndex = at
      if (!isLast && input.length - at <= maxStringChars && unfinished.test(input)) return input.slice(at)
      take(broken)
    }
    return ""
  }

  const given = (): string => {
    const text = out
    out = ""
    return text
  }
  return {
    push: (text) => {
      held = read(held + text, false)
      if (line.length > maxHeldChars && !isReturned) give()
      return given()
    },
    line: () => line,
    flush: () => {
      give()
      return given()
    },
    end: () => {
      held = read(held, true)
      give()
      return given()
    }
  }
}
