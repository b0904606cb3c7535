/**
 * What an approval is bound to besides the call: SHA-256 of the tool's definition and of what answers it, in hex. Key
 * order does not matter.
 */
import { CanonicalJson, type Tool } from "@cow/core"
import * as Effect from "effect/Effect"

export const make = ({ description, inputSchema, name, origin, spec }: Tool.Tool): Effect.Effect<string> => {
  const definition = {
    name,
    description,
    inputSchema,
    spec: { ...spec },
    ...(origin === undefined ? {} : { origin })
  }
  const bytes = new TextEncoder().encode(CanonicalJson.stringify(definition))
  return Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes)),
    (digest) => new Uint8Array(digest).toHex()
  )
}
