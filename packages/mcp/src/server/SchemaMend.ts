/**
 * A tool's input schema that is no schema, made one where it can be told what was meant: the words of other languages and
 * dialects, values of a wrong kind, patterns that are none here. What says nothing goes; the server checks its input
 * anyway. Pure.
 *
 * Only for schemas that do not compile: a good one stays as it is. The root is `RemoteTool`'s.
 */
import type { Message } from "@cow/core"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"

type Json = Schema.Json
/** `undefined`: the keyword goes. */
type Mend = (value: Json, schema: Message.JsonObject) => Json | undefined

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"])
const aliases: Readonly<Record<string, string>> = {
  bool: "boolean",
  decimal: "number",
  dict: "object",
  double: "number",
  float: "number",
  int: "integer",
  list: "array",
  long: "integer",
  map: "object",
  none: "null",
  record: "object",
  str: "string",
  struct: "object",
  tuple: "array"
}

/** The type that a word means: `Object`, `STRING`, `int`. */
export const typeOf = (word: Json | undefined): string | undefined => {
  if (typeof word !== "string") return undefined
  const lower = word.trim().toLowerCase()
  return types.has(lower) ? lower : Object.hasOwn(aliases, lower) ? aliases[lower] : undefined
}

const distinct = (values: ReadonlyArray<Json>): ReadonlyArray<Json> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

const type: Mend = (value) => {
  if (!Array.isArray(value)) return typeOf(value)
  const known = distinct(value.flatMap((word) => typeOf(word) ?? []))
  return known.length > 0 ? known : undefined
}

/** A word in the place of a schema names its type. */
const schemaOf = (value: Json): Json => {
  if (isObject(value)) return mend(value)
  if (typeof value === "boolean") return value
  const named = typeOf(value)
  return named === undefined ? {} : { type: named }
}

const schema: Mend = (value) => (value === null ? undefined : schemaOf(value))

/** `"true"` is a slip of whoever wrote the schema. */
const flag: Mend = (value) =>
  typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined

const flagOrSchema: Mend = (value, around) => flag(value, around) ?? schema(value, around)

const schemas: Mend = (value) => {
  const list = Array.isArray(value) ? value : isObject(value) ? [value] : []
  return list.length > 0 ? list.map(schemaOf) : undefined
}

const schemaMap: Mend = (value) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, schemaOf(one)]))
    : undefined

/** Also written as a list of `{name, …}`; an empty list is the empty map of some languages. */
const properties: Mend = (value, around) => {
  if (!Array.isArray(value)) return schemaMap(value, around) ?? {}
  const named = value.flatMap((one) => {
    if (!isObject(one) || typeof one.name !== "string") return []
    const { name, ...rest } = one
    return [[name, schemaOf(rest)] as const]
  })
  return Object.fromEntries(named)
}

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text, "u")
    return true
  } catch {
    // Another language's pattern.
    return false
  }
}
const pattern: Mend = (value) => (typeof value === "string" && isPattern(value) ? value : undefined)
const patternMap: Mend = (value, around) =>
  isObject(value)
    ? schemaMap(Object.fromEntries(Object.entries(value).filter(([key]) => isPattern(key))), around)
    : undefined

const numberIn = (value: Json): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}
const number: Mend = numberIn
const positive: Mend = (value) => {
  const found = numberIn(value)
  return found !== undefined && found > 0 ? found : undefined
}
const count: Mend = (value) => {
  const found = numberIn(value)
  return found !== undefined && Number.isInteger(found) && found >= 0 ? found : undefined
}
/** `true` beside the bound itself, as drafts before 6 write it. */
const exclusive =
  (bound: "minimum" | "maximum"): Mend =>
  (value, around) =>
    value === true ? numberIn(around[bound] ?? null) : numberIn(value)

const text: Mend = (value) => (typeof value === "string" ? value : undefined)
const values: Mend = (value) => {
  const list = Array.isArray(value) ? value : value === null || isObject(value) ? [] : [value]
  return list.length > 0 ? distinct(list) : undefined
}

/** Those that are marked one by one, as the oldest draft does it, count too. */
const requiredOf = (given: Json | undefined, around: Message.JsonObject): ReadonlyArray<Json> => {
  const listed = Array.isArray(given) ? given : [given ?? null]
  const marked = Object.entries(isObject(around.properties) ? around.properties : {}).flatMap(
    ([name, one]) => (isObject(one) && one.required === true ? [name] : [])
  )
  return distinct([...listed.filter((name) => typeof name === "string"), ...marked])
}

const gone: Mend = () => undefined

const keywords: ReadonlyMap<string, Mend> = new Map([
  ...["$anchor", "$comment", "$id", "$ref", "$schema", "contentEncoding", "contentMediaType"].map(
    (key) => [key, text] as const
  ),
  ...["description", "format", "title"].map((key) => [key, text] as const),
  ...["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"].map(
    (key) => [key, count] as const
  ),
  ...["deprecated", "readOnly", "uniqueItems", "writeOnly"].map((key) => [key, flag] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((key) => [key, schemas] as const),
  ...["$defs", "definitions", "dependentSchemas"].map((key) => [key, schemaMap] as const),
  ...["contains", "else", "if", "not", "propertyNames", "then"].map((key) => [key, schema] as const),
  ...["additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"].map(
    (key) => [key, flagOrSchema] as const
  ),
  ["enum", values],
  ["examples", values],
  ["exclusiveMaximum", exclusive("maximum")],
  ["exclusiveMinimum", exclusive("minimum")],
  // Draft 4 calls `$id` so.
  ["id", gone],
  ["items", schema],
  ["maximum", number],
  ["minimum", number],
  ["multipleOf", positive],
  [
    "nullable",
    (value, around) => (type(around.type ?? null, around) === undefined ? undefined : flag(value, around))
  ],
  ["pattern", pattern],
  ["patternProperties", patternMap],
  ["properties", properties],
  ["required", gone],
  ["type", type]
])

/** A schema of which every keyword has a value of its kind. The same meaning where the meaning was clear. */
export const mend = (given: Message.JsonObject): Message.JsonObject => {
  const mended = Object.entries(given).flatMap(([key, value]) => {
    // A list of schemas is what the newest draft calls `prefixItems`.
    if (key === "items" && Array.isArray(value)) {
      const list = schemas(value, given)
      return list === undefined || Object.hasOwn(given, "prefixItems") ? [] : [["prefixItems", list] as const]
    }
    const mendOne = keywords.get(key)
    const next = mendOne === undefined ? value : mendOne(value, given)
    return next === undefined ? [] : [[key, next] as const]
  })
  const required = requiredOf(given.required, given)
  return Object.fromEntries([...mended, ...(required.length > 0 ? [["required", required] as const] : [])])
}
