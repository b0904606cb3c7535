/**
 * One tool as a server lists it: read by itself, so that a bad one costs only itself. Pure.
 *
 * Making a callable tool of it is `ServerTools`.
 */
import type { Message } from "@cow/core"
import * as Result from "effect/Result"
import { isObject } from "../config/ServerEntry.ts"

export interface RemoteTool {
  /** The server's own name, as it goes on the wire. */
  readonly name: string
  readonly description: string
  /** The server's schema, unchanged but for `type: "object"` and `properties`, which providers ask for. */
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

const schemaOf = (given: unknown): Result.Result<Message.JsonObject, string> => {
  if (given === undefined || given === null) return Result.succeed({ type: "object", properties: {} })
  if (!isObject(given)) return Result.fail("its input schema is not an object")
  if (isTooDeep(given)) return Result.fail(`its input schema is nested more than ${maxDepth} levels deep`)
  const { type, properties } = given
  const fits = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
  if (!fits) return Result.fail(`its input schema is of type ${JSON.stringify(type)}, not "object"`)
  if (properties !== undefined && !isObject(properties))
    return Result.fail('"properties" of its input schema is not an object')
  if (type === "object" && properties !== undefined) return Result.succeed(given)
  return Result.succeed({ ...given, type: "object", properties: properties ?? {} })
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
