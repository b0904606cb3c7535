/** How a server that brings tools stands, at one moment. Who tells it is the port `ToolServers`. */
import * as Schema from "effect/Schema"
import type { Audience } from "./Audience.ts"

/** A server that waits to be tried again is `failed`. */
export const ServerState = Schema.Literals([
  "disabled",
  "untrusted",
  "pending",
  "starting",
  "ready",
  "failed",
  "needs_auth"
])
export type ServerState = typeof ServerState.Type

export interface ServerStatus {
  readonly name: string
  readonly state: ServerState
  /** One line: why it is `failed` or `needs_auth`. */
  readonly error: string | null
  /** How many tools it has in the table. */
  readonly toolCount: number
  readonly audience: Audience
}
