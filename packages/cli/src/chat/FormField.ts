/**
 * One field of a form that an MCP server asks a person to fill in: how it is put, and what a typed line means for it. Pure.
 *
 * Asking field by field is `FormDialogue`.
 */
import type { Message } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export type Value = string | number | boolean | ReadonlyArray<string>

interface Choice {
  readonly value: string
  readonly title: string
}

type Kind = "text" | "number" | "integer" | "boolean" | "choice" | "choices"

export interface FormField {
  readonly name: string
  readonly kind: Kind
  readonly required: boolean
  readonly choices: ReadonlyArray<Choice>
  readonly given: Message.JsonObject
}

const isObject = (value: unknown): value is Message.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: Schema.Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** `enum` with `enumNames`, or `oneOf`/`anyOf` of constants with titles. */
const choicesOf = (schema: Message.JsonObject): ReadonlyArray<Choice> => {
  const { anyOf, enum: values, enumNames, oneOf } = schema
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, at) => ({ value: String(value), title: textOf(names[at]) ?? String(value) }))
  }
  const constants = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return constants.flatMap((one) =>
    isObject(one) && one.const !== undefined
      ? [{ value: String(one.const), title: textOf(one.title) ?? String(one.const) }]
      : []
  )
}

const kindOf = (schema: Message.JsonObject, choices: ReadonlyArray<Choice>): Kind => {
  if (schema.type === "array") return "choices"
  if (choices.length > 0) return "choice"
  return schema.type === "number" || schema.type === "integer" || schema.type === "boolean"
    ? schema.type
    : "text"
}

/** In the order of the form. */
export const ofForm = (schema: Message.JsonObject): ReadonlyArray<FormField> => {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(properties).flatMap(([name, given]) => {
    if (!isObject(given)) return []
    const choices = choicesOf(given.type === "array" && isObject(given.items) ? given.items : given)
    return [{ name, kind: kindOf(given, choices), required: required.includes(name), choices, given }]
  })
}

const secret =
  /passw(?:or)?d|passphrase|secret|credential|api[\s_-]?key|private[\s_-]?key|access[\s_-]?token|^token$|^pin$/i

/** What no form may ask for. */
export const asksForSecret = ({ given, name }: FormField): boolean =>
  given.format === "password" ||
  [name, textOf(given.title) ?? ""].some((one) => secret.test(one.replace(/([a-z])([A-Z])/g, "$1 $2")))

const wish = ({ given, kind }: FormField): string => {
  const { format, maximum, maxItems, maxLength, minimum, minItems, minLength } = given
  const range = (low: unknown, high: unknown, what: string): string =>
    typeof low === "number" && typeof high === "number"
      ? `${low} to ${high}${what}`
      : typeof low === "number"
        ? `at least ${low}${what}`
        : typeof high === "number"
          ? `at most ${high}${what}`
          : ""
  const kinds: Record<Kind, string> = {
    text: [textOf(format), range(minLength, maxLength, " characters")].filter(Boolean).join(", "),
    number: ["a number", range(minimum, maximum, "")].filter(Boolean).join(", "),
    integer: ["a whole number", range(minimum, maximum, "")].filter(Boolean).join(", "),
    boolean: "yes or no",
    choice: "one of them",
    choices: ["any of them, with commas", range(minItems, maxItems, " of them")].filter(Boolean).join(", ")
  }
  return kinds[kind]
}

/** The value that stands for an empty line. */
const defaultOf = (field: FormField): Schema.Json | undefined => field.given.default

const shown = ({ choices }: FormField, value: Schema.Json): string => {
  const one = (part: Schema.Json) =>
    choices.find((choice) => choice.value === String(part))?.title ?? String(part)
  if (Array.isArray(value)) return value.map(one).join(", ")
  return value === true ? "yes" : value === false ? "no" : one(value)
}

/** The lines that put the question; the last one stands before the answer. */
export const question = (field: FormField): ReadonlyArray<string> => {
  const { choices, given, name, required } = field
  const description = textOf(given.description)
  const standard = defaultOf(field)
  const empty =
    standard !== undefined ? `empty: ${shown(field, standard)}` : required ? "needed" : "empty: left out"
  const notes = [wish(field), empty].filter((one) => one !== "").join("; ")
  return [
    ...(description === undefined ? [] : [`  ${description}`]),
    ...choices.map(({ title }, at) => `  ${at + 1}) ${title}`),
    `  ${textOf(given.title) ?? name} (${notes})`
  ]
}

const chosen = ({ choices }: FormField, word: string): Result.Result<string, string> => {
  const wanted = word.trim()
  const same = (one: string) => one.toLowerCase() === wanted.toLowerCase()
  const found =
    choices.find(({ value }) => value === wanted) ??
    choices.find(({ title, value }) => same(title) || same(value)) ??
    (/^\d+$/.test(wanted) ? choices[Number(wanted) - 1] : undefined)
  if (found !== undefined) return Result.succeed(found.value)
  // A list of anything.
  if (choices.length === 0) return Result.succeed(wanted)
  return Result.fail(`"${wanted}" is none of them: give a number from 1 to ${choices.length}, or its name`)
}

const inRange = (size: number, low: unknown, high: unknown, what: string): string | undefined => {
  if (typeof low === "number" && size < low) return `it must be at least ${low}${what}`
  return typeof high === "number" && size > high ? `it must be at most ${high}${what}` : undefined
}

const formats: Readonly<Record<string, readonly [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "an e-mail address like a@b.org"],
  uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, "an address like https://example.org"],
  date: [/^\d{4}-\d{2}-\d{2}$/, "a date like 2026-12-31"],
  "date-time": [
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i,
    "a time like 2026-12-31T12:00:00Z"
  ]
}

const matchesPattern = (text: string, pattern: Schema.Json | undefined): boolean => {
  if (typeof pattern !== "string") return true
  try {
    return new RegExp(pattern, "u").test(text)
  } catch {
    // Not a pattern here: the server judges.
    return true
  }
}

const textFault = (line: string, { format, maxLength, minLength, pattern }: Message.JsonObject) => {
  const wrongSize = inRange([...line].length, minLength, maxLength, " characters long")
  if (wrongSize !== undefined) return wrongSize
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined
  const isDay = format !== "date" && format !== "date-time" ? true : !Number.isNaN(Date.parse(line))
  if (known !== undefined && !(known[0].test(line) && isDay)) return `it must be ${known[1]}`
  return matchesPattern(line, pattern) ? undefined : `it must match ${pattern}`
}

const checked = <A extends Value>(value: A, fault: string | undefined): Result.Result<A, string> =>
  fault === undefined ? Result.succeed(value) : Result.fail(fault)

const valueOf = (field: FormField, line: string): Result.Result<Value, string> => {
  const { given, kind } = field
  switch (kind) {
    case "text":
      return checked(line, textFault(line, given))
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(line)) return Result.succeed(true)
      return /^(?:n|no|false)$/i.test(line) ? Result.succeed(false) : Result.fail("it must be yes or no")
    case "number":
    case "integer": {
      const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(line) ? Number(line) : Number.NaN
      if (!Number.isFinite(number) || (kind === "integer" && !Number.isSafeInteger(number)))
        return Result.fail(kind === "integer" ? "it must be a whole number" : "it must be a number")
      return checked(number, inRange(number, given.minimum, given.maximum, ""))
    }
    case "choice":
      return chosen(field, line)
    case "choices": {
      const all: Array<string> = []
      for (const word of line.split(",").filter((one) => one.trim() !== "")) {
        const one = chosen(field, word)
        if (Result.isFailure(one)) return Result.fail(one.failure)
        if (!all.includes(one.success)) all.push(one.success)
      }
      return checked(all, inRange(all.length, given.minItems, given.maxItems, " of them"))
    }
  }
}

/** `undefined`: the field is left out, and the form's default counts. Fails with what is wrong with the line. */
export const parse = (field: FormField, typed: string): Result.Result<Value | undefined, string> => {
  const line = typed.trim()
  if (line !== "") return valueOf(field, line)
  if (defaultOf(field) !== undefined || !field.required) return Result.succeed(undefined)
  return Result.fail("it is needed")
}
