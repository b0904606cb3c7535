/**
 * One tool as a server lists it: read by itself, so that a bad one costs only itself. Pure.
 *
 * Making a callable tool of it is `ServerTools`.
 */
import type { Message } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"
import * as SchemaMend from "./SchemaMend.ts"

export interface RemoteTool {
  /** The server's own name, as it goes on the wire. */
  readonly name: string
  readonly description: string
  /** The server's schema, unchanged but for `type: "object"` and `properties`, which providers ask for. It may be none yet. */
  readonly inputSchema: Message.JsonObject
  /** The server's claim, believed only as boolean true with nothing against it. */
  readonly readOnly: boolean
  readonly destructive: boolean
}

export interface SkippedTool {
  /** `""` where the tool has none. */
  readonly name: string
  readonly reason: string
}

/** Far more than a person nests, and far less than a stack takes. */
const maxDepth = 200

/** Without recursion, so that no depth exhausts the stack. */
const isTooDeep = (schema: Message.JsonObject): boolean => {
  let level: ReadonlyArray<unknown> = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return false
}

/** What a root reference of the schema's own leads to, in its place. */
const dereferenced = (schema: Message.JsonObject): Message.JsonObject => {
  const { $ref, ...rest } = schema
  const [, table, name] =
    typeof $ref === "string" ? (/^#\/(\$defs|definitions)\/([^/~%]+)$/.exec($ref) ?? []) : []
  const targets = table === undefined ? undefined : schema[table]
  const target =
    isObject(targets) && name !== undefined && Object.hasOwn(targets, name) ? targets[name] : undefined
  return isObject(target) && !Object.hasOwn(target, "$ref") ? { ...target, ...rest } : schema
}

/** A schema written as a text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Then it is no schema, which is told.
    return text
  }
}

/** The type of the root: an object, or what it is in the server's words. */
const isObjectType = (type: Schema.Json | undefined): boolean => {
  if (type === undefined || type === null || type === "") return true
  if (Array.isArray(type)) return type.length === 0 || type.some((one) => SchemaMend.typeOf(one) === "object")
  return SchemaMend.typeOf(type) === "object"
}

const schemaOf = (value: unknown): Result.Result<Message.JsonObject, string> => {
  const given = typeof value === "string" ? parsed(value) : value
  if (given === undefined || given === null || given === true)
    return Result.succeed({ type: "object", properties: {} })
  if (given === false) return Result.succeed({ type: "object", properties: {}, additionalProperties: false })
  if (!isObject(given)) return Result.fail("its input schema is not an object")
  if (isTooDeep(given)) return Result.fail(`its input schema is nested more than ${maxDepth} levels deep`)
  const schema = dereferenced(given)
  const { type, properties } = schema
  if (!isObjectType(type))
    return Result.fail(`its input schema is of type ${JSON.stringify(type)}, not "object"`)
  if (type === "object" && isObject(properties)) return Result.succeed(schema)
  const mended = isObject(properties)
    ? properties
    : properties === undefined || properties === null
      ? {}
      : SchemaMend.mend({ properties }).properties
  const isLost = Array.isArray(properties) && Object.keys(mended ?? {}).length < properties.length
  if (isLost || (typeof properties !== "object" && properties !== undefined))
    return Result.fail('"properties" of its input schema is not an object')
  return Result.succeed({ ...schema, type: "object", properties: mended ?? {} })
}

const factsOf = (annotations: unknown): Pick<RemoteTool, "readOnly" | "destructive"> => {
  const given = isObject(annotations) ? annotations : {}
  const claims = [given.readOnlyHint, given.read_only_hint].filter((claim) => claim !== undefined)
  const destructive = given.destructiveHint === true || given.destructive_hint === true
  return {
    readOnly: claims.length > 0 && claims.every((claim) => claim === true) && !destructive,
    destructive
  }
}

/** Fails with the reason why the tool cannot be used. */
export const decode = (value: unknown): Result.Result<RemoteTool, SkippedTool> => {
  if (!isObject(value)) return Result.fail({ name: "", reason: "it is not an object" })
  const { name, description } = value
  if (typeof name !== "string" || name === "") return Result.fail({ name: "", reason: "it has no name" })
  return Result.mapBoth(schemaOf(value.inputSchema), {
    onFailure: (reason) => ({ name, reason }),
    onSuccess: (inputSchema) => ({
      name,
      description: typeof description === "string" ? description.toWellFormed() : "",
      inputSchema,
      ...factsOf(value.annotations)
    })
  })
}
