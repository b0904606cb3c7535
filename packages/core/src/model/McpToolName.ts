/**
 * The names models see: `mcp__<server>__<tool>`, at most 64 characters of `[A-Za-z0-9_-]`, one for each tool of
 * each server, and the same in every start. Pure; the server's own name goes on the wire. Who holds a name that two
 * sources want is `ToolTable`.
 *
 * Plain names that could mean two tools, and those that are too long, end in a hash of server and tool.
 */

export const maxLength = 64
const hashLength = 10
/** What a hash leaves of a plain name, the `_` before it aside. */
const keptLength = maxLength - hashLength - 1

/** Every character that is not `[A-Za-z0-9_-]` becomes `_`. */
export const clean = (name: string): string => name.replace(/[^A-Za-z0-9_-]/gu, "_")

/** FNV-1a of 64 bits over the UTF-8 of both names: stable over starts and machines. */
const hash = (server: string, tool: string): string => {
  let state = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(`${server}\u0000${tool}`))
    state = BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n)
  return state.toString(36).padStart(hashLength, "0").slice(-hashLength)
}

const hashed = (server: string, tool: string): string =>
  `${`mcp__${clean(server)}__${clean(tool)}`.slice(0, keptLength)}_${hash(server, tool)}`

/**
 * True when a plain name of this server could be read as another server's: the other's cleaned name is equal to
 * it, or is a beginning of it that ends at `__`. Depends on the configured names alone, never on who is up.
 */
const isAmbiguous = (server: string, others: Iterable<string>): boolean => {
  const own = `${clean(server)}__`
  for (const other of others) if (other !== server && own.startsWith(`${clean(other)}__`)) return true
  return false
}

/** True when a tool of the server may have this name, cut for its length or not. Another server's may have it too. */
export const mayBelongTo = (server: string, name: string): boolean =>
  name.startsWith(`mcp__${clean(server)}__`.slice(0, keptLength))

/**
 * The model's name of each of one server's tools, in their order.
 *
 * @param servers names of all configured servers, with or without this one
 */
export const ofTools = (
  server: string,
  tools: ReadonlyArray<string>,
  servers: Iterable<string>
): ReadonlyArray<string> => {
  const count = new Map<string, number>()
  for (const tool of new Set(tools)) count.set(clean(tool), (count.get(clean(tool)) ?? 0) + 1)
  const ambiguous = isAmbiguous(server, servers)
  return tools.map((tool) => {
    const plain = `mcp__${clean(server)}__${clean(tool)}`
    return ambiguous || plain.length > maxLength || (count.get(clean(tool)) ?? 0) > 1
      ? hashed(server, tool)
      : plain
  })
}
