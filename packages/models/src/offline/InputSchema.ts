/** What the planner understands of a tool's JSON Schema: properties, their type, which are required. Pure. */
import { JsonValue, type Message } from "@cow/core"

type Json = Message.JsonObject[string]

export interface Property {
  readonly name: string
  /** `any`: the schema does not say. */
  readonly types: ReadonlyArray<string>
  readonly values: ReadonlyArray<Json> | undefined
  readonly fallback: Json | undefined
  readonly description: string
  readonly items: Property | undefined
  readonly required: boolean
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A schema that offers alternatives counts as the first of them that is not null. */
const resolve = (schema: unknown): Message.JsonObject => {
  if (!JsonValue.isObject(schema)) return {}
  const branches = [...list(schema.anyOf), ...list(schema.oneOf)].filter(JsonValue.isObject)
  const branch = branches.find((one) => one.type !== "null")
  return branch === undefined || schema.type !== undefined ? schema : { ...schema, ...branch }
}

const property = (name: string, given: unknown, required: boolean, depth = 0): Property => {
  const schema = resolve(given)
  const types = (typeof schema.type === "string" ? [schema.type] : list(schema.type)).filter(
    (type): type is string => typeof type === "string" && type !== "null"
  )
  const only = schema.const === undefined ? undefined : [schema.const]
  const values = Array.isArray(schema.enum) ? (schema.enum as ReadonlyArray<Json>) : only
  return {
    name,
    types: types.length === 0 ? ["any"] : types,
    values,
    fallback: schema.default ?? (values?.length === 1 ? values[0] : undefined),
    description: typeof schema.description === "string" ? schema.description : "",
    items:
      JsonValue.isObject(schema.items) && depth === 0 ? property(name, schema.items, true, 1) : undefined,
    required
  }
}

/** In the schema's order, with what is required and not described at the end. */
export const properties = (inputSchema: Message.JsonObject): ReadonlyArray<Property> => {
  const described = JsonValue.isObject(inputSchema.properties) ? inputSchema.properties : {}
  const required = list(inputSchema.required).filter((name): name is string => typeof name === "string")
  const known = Object.entries(described).map(([name, schema]) =>
    property(name, schema, required.includes(name))
  )
  const extra = [...new Set(required)].filter((name) => !Object.hasOwn(described, name))
  return [...known, ...extra.map((name) => property(name, {}, true))]
}

const typeOf = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** Whether the value has a type and, where values are listed, one of the values of the property. */
export const fits = (property: Property, value: Json): boolean => {
  const type = typeOf(value)
  const typed = property.types.some(
    (one) => one === "any" || one === type || (one === "integer" && Number.isInteger(value))
  )
  const listed = property.values === undefined || property.values.some((one) => one === value)
  const whole =
    property.items === undefined ||
    !Array.isArray(value) ||
    value.every((one) => fits(property.items as Property, one))
  return typed && listed && whole
}

/** The value a text stands for in the property; undefined when it stands for none. */
export const coerce = (property: Property, text: string): Json | undefined => {
  const listed = property.values?.find((value) => String(value).toLowerCase() === text.toLowerCase())
  if (listed !== undefined) return listed
  const candidates: Array<Json> = []
  for (const type of property.types)
    if (type === "string" || type === "any") candidates.push(text)
    else if ((type === "number" || type === "integer") && text.trim() !== "") candidates.push(Number(text))
    else if (type === "boolean" && /^(true|yes|on|false|no|off)$/i.test(text))
      candidates.push(/^(true|yes|on)$/i.test(text))
    else if (type === "array" && property.items !== undefined) {
      const parts = text.split(",").map((part) => coerce(property.items as Property, part.trim()))
      if (parts.every((part) => part !== undefined)) candidates.push(parts)
    }
  return candidates.find(
    (value) => !Number.isNaN(value) && value !== Infinity && value !== -Infinity && fits(property, value)
  )
}

const named = (pattern: RegExp) => (property: Property) => pattern.test(property.name)

export const isText = (property: Property): boolean =>
  property.values === undefined && property.types.some((type) => type === "string" || type === "any")
export const isNumber = (property: Property): boolean =>
  property.types.some((type) => type === "number" || type === "integer")
export const isPath = (property: Property): boolean =>
  isText(property) && named(/path|file(name)?s?$|^dir|folder|directory|location|^cwd$/i)(property)
export const isUrl = (property: Property): boolean => isText(property) && named(/ur[il]|link|href/i)(property)
export const isCommand = (property: Property): boolean =>
  isText(property) && named(/command|cmd|script|^code$/i)(property)
/** Numbers that a message often gives without naming them. */
export const isCount = (property: Property): boolean =>
  isNumber(property) && named(/limit|count|max|top|^n$|^k$/i)(property)
