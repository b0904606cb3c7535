/**
 * Finding a key in the `metadata` of a skill, in whichever of its spellings an author wrote it: below a namespace or
 * bare, nested or dotted, a map or JSON in a string. Pure. What the values mean is `SkillMetadata`.
 */
import { JsonValue } from "@cow/core"

export type Node = Readonly<Record<string, unknown>>

/** In order: per key, the first that has it counts. The last is no namespace. */
export const namespaces: ReadonlyArray<ReadonlyArray<string>> = [["cow"], ["cowagent"], ["openclaw"], []]

export const isNode: (value: unknown) => value is Node = JsonValue.isObject

/** A map, also one written as JSON in a string; undefined for anything else. */
export const asNode = (value: unknown): Node | undefined => {
  if (isNode(value)) return value
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return isNode(parsed) ? parsed : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** The value at a path. `a.b` as one key and `a` holding `b` are the same path. */
export const at = (value: unknown, path: ReadonlyArray<string>): unknown => {
  if (path.length === 0) return value
  const node = asNode(value)
  if (node === undefined) return undefined
  let key = ""
  for (let taken = 1; taken <= path.length; taken++) {
    key = taken === 1 ? (path[0] as string) : `${key}.${path[taken - 1]}`
    if (!Object.hasOwn(node, key)) continue
    const found = at(node[key], path.slice(taken))
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

/** The namespaces that can hold anything here, in their order. */
export const namespacesIn = (metadata: Node): ReadonlyArray<ReadonlyArray<string>> => {
  const heads = new Set(Object.keys(metadata).map((key) => key.split(".", 1)[0]))
  return namespaces.filter(([name]) => name === undefined || heads.has(name))
}

/** The value of a key in the first of these namespaces that has it. */
export const first = (
  metadata: Node,
  path: ReadonlyArray<string>,
  among: ReadonlyArray<ReadonlyArray<string>> = namespaces
): unknown => {
  for (const namespace of among) {
    const found = at(metadata, namespace.length === 0 ? path : [...namespace, ...path])
    if (found !== undefined) return found
  }
  return undefined
}

/** The names below a path, in every namespace and spelling. */
export const keysBelow = (metadata: Node, path: string): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const namespace of namespaces) {
    for (const key of Object.keys(asNode(at(metadata, [...namespace, path])) ?? {})) names.add(key)
    const dotted = `${[...namespace, path].join(".")}.`
    for (const key of Object.keys(metadata)) if (key.startsWith(dotted)) names.add(key.slice(dotted.length))
  }
  return names
}
