/**
 * What a message holds that can become an argument: JSON, `key=value`, code in backticks, quoted strings, URLs,
 * paths, numbers; each in the order of the text, nothing taken twice. Which argument it becomes is `ArgumentFill`.
 */
import type { Message } from "@cow/core"
import { objectIn } from "../ReceivedText.ts"

interface Pair {
  readonly key: string
  readonly value: string
  /** Written with a colon: a pair only where a property has that name. */
  readonly loose: boolean
}

export interface Clues {
  readonly json: Message.JsonObject | undefined
  readonly pairs: ReadonlyArray<Pair>
  readonly code: ReadonlyArray<string>
  readonly quoted: ReadonlyArray<string>
  readonly urls: ReadonlyArray<string>
  readonly paths: ReadonlyArray<string>
  /** Words that name a folder only by where they stand, as in `in src`. */
  readonly folders: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<number>
  /** What stands after `for`, `about`, `saying`, `with` or a colon: a last resort for one missing text. */
  readonly tail: string | undefined
  /** The message without all of the above. */
  readonly rest: string
}

/** Where the object that begins at `start` ends, by its braces outside strings; -1: nowhere. */
const closingBrace = (text: string, start: number): number => {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === "\\") at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at
  }
  return -1
}

/** At most this many openings are tried, so that a message of braces costs no more than its length. */
const maxObjects = 8

const findObject = (
  text: string
): { readonly value: Message.JsonObject; readonly rest: string } | undefined => {
  let start = text.indexOf("{")
  for (let tried = 0; start >= 0 && tried < maxObjects; tried++) {
    const end = closingBrace(text, start)
    const value = end < 0 ? undefined : objectIn(text.slice(start, end + 1))
    if (value !== undefined) return { value, rest: `${text.slice(0, start)} ${text.slice(end + 1)}` }
    start = text.indexOf("{", start + 1)
  }
  return undefined
}

const quotes =
  /"([^"\n]*)"|“([^”\n]*)”|‘([^’\n]*)’|「([^」\n]*)」|(?<![\p{L}\p{N}])'([^'\n]*)'(?![\p{L}\p{N}])/gu
const quotedPairs = /(?<![\w-])([A-Za-z_][\w-]*)\s?[=:]\s?(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/g
const barePairs = /(?<![\w-])([A-Za-z_][\w-]*)\s?=\s?([^\s,;"'`]+)/g
const colonPairs = /(?<![\w-])([A-Za-z_][\w-]*):\s([^\s,;"'`]+)/g
const urlPattern = /https?:\/\/[^\s<>"'`]+/gi
const pathPattern =
  /(?<![\w@*])(?:~?\.{0,2}\/[^\s,;:!?"'`]*|[\w-][\w.-]*\/[^\s,;:!?"'`]*|[\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}|README|LICENSE|Makefile|Dockerfile|CHANGELOG)(?![\w/])/g
const folderPattern = /\b(?:in|under|inside|folder|directory|dir)\s+(?:the\s+)?([\w~-][\w./~-]*)/gi
const numberPattern = /(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g
const tailPattern = /(?:\b(?:for|about|saying|says|named|called|containing|with|to)\s+|:\s*)(\S[\s\S]*)$/i
/** A command without backticks, known by its option: `run ls -la`. */
const flagged =
  /^\W*(?:please\s+)?(?:run|execute)\s+(?:the\s+command\s+)?([a-z][\w.+-]*(?: [^\s`"']+){0,20}? --?\w[^`]*)$/i
const notFolders = new Set([
  "here",
  "this",
  "that",
  "the",
  "my",
  "your",
  "our",
  "a",
  "an",
  "it",
  "current",
  "which",
  "workspace",
  "folder",
  "directory",
  "there"
])

const end = (text: string): string => text.replace(/[.,;!?)\]]+$/, "")

export const find = (message: string): Clues => {
  let rest = message
  const take = <A>(
    pattern: RegExp,
    make: (groups: ReadonlyArray<string | undefined>) => A | undefined
  ): Array<A> => {
    const found: Array<A> = []
    rest = rest.replace(pattern, (...match: ReadonlyArray<unknown>) => {
      const groups = match.slice(0, -2).map((group) => (typeof group === "string" ? group : undefined))
      const made = make(groups)
      if (made === undefined) return groups[0] ?? ""
      found.push(made)
      return " "
    })
    return found
  }
  const first = (groups: ReadonlyArray<string | undefined>): string =>
    groups.slice(1).find((group) => group !== undefined) ?? ""
  const pair = ([, key, ...values]: ReadonlyArray<string | undefined>): Pair => ({
    key: key ?? "",
    value: values.find((value) => value !== undefined) ?? "",
    loose: false
  })

  const commands = take(flagged, ([, command]) => command?.trim())
  const quotedPair = take(quotedPairs, pair)
  const ticks = take(/```(?:\w*\n)?([\s\S]*?)```|`([^`\n]+)`/g, (groups) => first(groups).trim())
  const object = findObject(rest)
  if (object !== undefined) rest = object.rest
  const quoted = take(quotes, first)
  const urls = take(urlPattern, ([url]) => end(url ?? ""))
  const barePair = take(barePairs, (groups) => {
    const found = pair(groups)
    return { ...found, value: end(found.value) }
  })
  const colonPair = [...rest.matchAll(colonPairs)].map(([, key = "", value = ""]) => ({
    key,
    value: end(value),
    loose: true
  }))
  const paths = take(pathPattern, ([path]) => end(path ?? "") || undefined)
  const folders = take(folderPattern, ([, name]) =>
    name === undefined || notFolders.has(name.toLowerCase()) ? undefined : end(name)
  )
  const numbers = take(numberPattern, ([number]) => Number(number))
  const tail = tailPattern.exec(rest)?.[1]?.trim()
  const objects = [object?.value, ...ticks.map(objectIn)].filter((one) => one !== undefined)
  return {
    json: objects[0],
    pairs: [...quotedPair, ...barePair, ...colonPair],
    code:
      commands.length > 0 ? commands : ticks.filter((code) => code !== "" && objectIn(code) === undefined),
    quoted,
    urls,
    paths,
    folders,
    numbers,
    tail: tail === "" ? undefined : tail,
    rest
  }
}
