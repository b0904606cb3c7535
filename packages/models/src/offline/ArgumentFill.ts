/**
 * Arguments for a tool from what a message holds, by the tool's schema: first what is named, then by kind, then quoted
 * strings in order. Gives arguments that fit, or the names of what is missing. Pure.
 */
import type { Message, Tool } from "@cow/core"
import type { Clues } from "./Clues.ts"
import * as InputSchema from "./InputSchema.ts"
import { bareName } from "./Match.ts"

type Filled =
  | { readonly _tag: "Filled"; readonly input: Message.JsonObject }
  | { readonly _tag: "Missing"; readonly properties: ReadonlyArray<InputSchema.Property> }

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "")

const looksLikePath = (text: string): boolean => /^[^\s]*(\/|\.[A-Za-z]\w{0,7}$)[^\s]*$/.test(text)

/** True when the message has the words of the name: `max_results` and "max results". */
const mentions = (message: string, name: string): boolean =>
  plain(message.replace(/\s/g, "")).includes(plain(name)) && name.length > 2

/** A text that any words may fill. */
const isFree = (property: InputSchema.Property): boolean =>
  InputSchema.isText(property) &&
  !InputSchema.isPath(property) &&
  !InputSchema.isCommand(property) &&
  !InputSchema.isUrl(property)

/** `message hello there` → `hello there`. */
const wordsAfter = (rest: string, name: string): string | undefined => {
  const at = new RegExp(
    `(?:^|[^\\w-])${name.replace(/[^\w\s]/g, "\\$&")}\\s+(?!(?:tool|skill|and|please)\\b)(\\S[\\s\\S]*)$`,
    "i"
  ).exec(rest)
  return at?.[1]?.trim().replace(/^(?:is|as|of|to|with)\s+/i, "") || undefined
}

export const fill = (tool: Tool.ToolDefinition, clues: Clues): Filled => {
  const properties = InputSchema.properties(tool.inputSchema)
  const input: Record<string, Message.JsonObject[string]> = Object.create(null) as Record<string, never>
  const isOpen = (property: InputSchema.Property): boolean => !(property.name in input)
  const put = (property: InputSchema.Property | undefined, text: string): boolean => {
    const value = property === undefined ? undefined : InputSchema.coerce(property, text)
    if (property === undefined || value === undefined) return false
    input[property.name] = value
    return true
  }
  /** The first open property of that kind, required ones first. */
  const next = (kind: (property: InputSchema.Property) => boolean) => {
    const open = properties.filter((property) => isOpen(property) && kind(property))
    return open.find((property) => property.required) ?? open[0]
  }
  const byName = (key: string) => properties.find((property) => plain(property.name) === plain(key))
  const texts = properties.filter(InputSchema.isText)

  for (const [key, value] of Object.entries(clues.json ?? {})) {
    const property = byName(key)
    if (property !== undefined && InputSchema.fits(property, value)) input[property.name] = value
  }
  for (const { key, value, loose } of clues.pairs) {
    const property = byName(key)
    if (property !== undefined) {
      if (isOpen(property)) put(property, value)
    } else if (!loose && texts.length === 1 && texts[0] !== undefined && isOpen(texts[0]))
      put(texts[0], value)
  }
  for (const code of clues.code) {
    const property =
      next(InputSchema.isCommand) ??
      (looksLikePath(code) ? next(InputSchema.isPath) : undefined) ??
      next((one) => InputSchema.isText(one) && one.required)
    put(property, code)
  }
  for (const path of [...clues.paths, ...clues.folders]) put(next(InputSchema.isPath), path)
  for (const url of clues.urls)
    put(next(InputSchema.isUrl) ?? next((one) => InputSchema.isText(one) && one.required), url)
  for (const quoted of clues.quoted) {
    const path = looksLikePath(quoted) ? next((one) => InputSchema.isPath(one) && one.required) : undefined
    const property =
      path ??
      next((one) => InputSchema.isText(one) && one.required && !InputSchema.isPath(one)) ??
      next((one) => InputSchema.isText(one) && one.required) ??
      next((one) => InputSchema.isText(one) && !InputSchema.isPath(one)) ??
      next(InputSchema.isText)
    put(property, quoted)
  }
  for (const number of clues.numbers) {
    const wanted = (one: InputSchema.Property) =>
      InputSchema.isNumber(one) &&
      (one.required || InputSchema.isCount(one) || mentions(clues.rest, one.name))
    put(next(wanted), String(number))
  }
  for (const property of properties.filter((one) => one.values !== undefined && isOpen(one))) {
    const words = clues.rest.toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
    const value = property.values?.find((one) => typeof one === "string" && words.includes(one.toLowerCase()))
    if (value !== undefined && (property.required || mentions(clues.rest, property.name)))
      put(property, String(value))
  }
  for (const property of properties.filter((one) => one.required && isOpen(one))) {
    if (property.types.includes("array")) put(property, clues.quoted.join(","))
    if (isOpen(property) && property.fallback !== undefined && InputSchema.fits(property, property.fallback))
      input[property.name] = property.fallback
  }
  for (const property of properties.filter((one) => one.required && isOpen(one) && isFree(one))) {
    const said = wordsAfter(clues.rest, property.name)
    if (said !== undefined) put(property, said)
  }
  const missing = properties.filter((property) => property.required && isOpen(property))
  const [only] = missing
  // A tool that wants a path beside its text is too easily given the wrong words.
  const isPlain = !properties.some((one) => one.required && InputSchema.isPath(one))
  const last = !isPlain
    ? undefined
    : (clues.tail ?? wordsAfter(clues.rest, bareName(tool.name)) ?? clues.folders[0])
  if (missing.length === 1 && only !== undefined && isFree(only) && last !== undefined && put(only, last))
    missing.pop()
  return missing.length === 0
    ? { _tag: "Filled", input: { ...input } }
    : { _tag: "Missing", properties: missing }
}
