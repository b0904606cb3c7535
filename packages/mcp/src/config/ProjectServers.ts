/**
 * Which of a project's servers may start: those that stood in its file when it was trusted. What changes later,
 * by whatever hand, waits until the folder is trusted again; what runs from before keeps running. Pure.
 */
import { CanonicalJson, Diagnostic } from "@cow/core"
import type { ConfiguredServer } from "./McpConfig.ts"

export interface ProjectServers {
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly untrusted: ReadonlySet<string>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/**
 * @param listed as the file is now
 * @param trusted as it was when the folder was trusted
 */
export const sift = (
  listed: ReadonlyArray<ConfiguredServer>,
  trusted: ReadonlyMap<string, ConfiguredServer>,
  path: string
): ProjectServers => {
  const untrusted = new Set<string>()
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const servers = listed.map((server) => {
    const known = trusted.get(server.name)
    if (known === undefined) untrusted.add(server.name)
    else if (CanonicalJson.stringify(known.written) !== CanonicalJson.stringify(server.written)) {
      const message = `server "${server.name}" has changed since the folder was trusted: \`cow trust\` to apply it`
      diagnostics.push(Diagnostic.warning(path, message))
      return known
    }
    return server
  })
  return { servers, untrusted, diagnostics }
}
