/**
 * Parameters of a tool that a server wants mirrored in HTTP headers (`x-mcp-header` in the input schema, revision
 * 2026-07-28): which they are, whether they are declared rightly, and the headers of one call. Pure.
 */
import type { Message } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"

export interface MirroredParam {
  readonly path: ReadonlyArray<string>
  /** As declared; the header is `Mcp-Param-` and this. */
  readonly name: string
}

const key = "x-mcp-header"
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types: ReadonlyArray<unknown> = ["string", "integer", "boolean"]

const declarationFault = (schema: Message.JsonObject, where: string): string | undefined => {
  const name = schema[key]
  if (typeof name !== "string" || !token.test(name)) return `${where}: "${key}" is no name of a header`
  return types.includes(schema.type)
    ? undefined
    : `${where}: "${key}" is for a string, an integer or a boolean, not for ${JSON.stringify(schema.type ?? null)}`
}

/** True where the key stands as a keyword anywhere below, not as a property's name or a value of `enum`. */
const holdsDeclaration = (schema: Schema.Json | undefined): boolean => {
  if (Array.isArray(schema)) return schema.some(holdsDeclaration)
  if (!isObject(schema)) return false
  if (Object.hasOwn(schema, key)) return true
  return Object.entries(schema).some(([keyword, below]) => {
    if (values.has(keyword)) return false
    return maps.has(keyword) && isObject(below)
      ? Object.values(below).some(holdsDeclaration)
      : holdsDeclaration(below)
  })
}
const values = new Set(["default", "const", "enum", "examples"])
const maps = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
  "dependencies"
])

/** Fails with what is wrong: such a tool must not be used over HTTP. */
export const declared = (
  inputSchema: Message.JsonObject
): Result.Result<ReadonlyArray<MirroredParam>, string> => {
  const found: Array<MirroredParam> = []
  const names = new Set<string>()
  const visit = (schema: Message.JsonObject, path: ReadonlyArray<string>): string | undefined => {
    const where = path.join(".") || "the schema itself"
    if (Object.hasOwn(schema, key)) {
      if (path.length === 0) return `${where}: "${key}" stands at no parameter`
      const fault = declarationFault(schema, where)
      if (fault !== undefined) return fault
      const name = String(schema[key])
      if (names.has(name.toLowerCase())) return `${where}: the header "${name}" is declared twice`
      names.add(name.toLowerCase())
      found.push({ path, name })
    }
    for (const [keyword, below] of Object.entries(schema)) {
      if (keyword === key || values.has(keyword)) continue
      if (keyword !== "properties" || !isObject(below)) {
        const inMap = maps.has(keyword) && isObject(below) ? Object.values(below) : [below]
        if (inMap.some(holdsDeclaration))
          return `${where}: "${key}" below "${keyword}", where no single parameter can be meant`
        continue
      }
      for (const [name, property] of Object.entries(below)) {
        const fault = isObject(property) ? visit(property, [...path, name]) : undefined
        if (fault !== undefined) return fault
      }
    }
    return undefined
  }
  const fault = visit(inputSchema, [])
  return fault === undefined ? Result.succeed(found) : Result.fail(fault)
}

const base64 = (text: string): string => {
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}

/** A value that a header cannot carry as it is goes as `=?base64?…?=`. */
export const encode = (text: string): string => {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text)
  return plain ? text : `=?base64?${base64(text)}?=`
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? String(value)
    : undefined
}

/** Nothing for what is `null`, absent, or no single value. */
export const headers = (
  params: ReadonlyArray<MirroredParam>,
  input: Schema.Json
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    params.flatMap(({ name, path }) => {
      const value = path.reduce<unknown>(
        (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
        input
      )
      const text = textOf(value)
      return text === undefined ? [] : [[`Mcp-Param-${name}`, encode(text)]]
    })
  )
