/**
 * A live connection to one server, and the ways it can fail. Foreign errors are decoded here, once.
 *
 * How it is made: `StdioConnection`, `HttpConnection`. Who keeps it alive: `ServerSupervisor`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RemoteTool, SkippedTool } from "../server/RemoteTool.ts"

/** Why there is no connection. Only some of it can pass by itself: see `isTransient`. */
export const ConnectReason = Schema.Literals([
  /** The entry cannot be started as it is: a missing variable, program or folder. */
  "configuration",
  "timeout",
  /** The process ended, or closed its output. */
  "ended",
  "unauthorized",
  /** The server answered, and not as it should. */
  "protocol",
  /** The server could not be reached. */
  "network"
])

export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  reason: ConnectReason,
  message: Schema.String,
  /** HTTP status, where there was one. */
  status: Schema.optionalKey(Schema.Number)
}) {}

/** True where trying again without a change of the configuration may help. */
export const isTransient = ({ reason }: ConnectFailed): boolean =>
  reason !== "configuration" && reason !== "unauthorized"

export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  /** `answered`: the server's own error. `connection`: no answer can come. `session`: the HTTP session is gone. */
  reason: Schema.Literals(["answered", "connection", "session", "unauthorized"]),
  message: Schema.String,
  /** HTTP status, where there was one. */
  status: Schema.optionalKey(Schema.Number),
  /** JSON-RPC code of the server's own error. */
  code: Schema.optionalKey(Schema.Number)
}) {}

export interface ListedTools {
  readonly tools: ReadonlyArray<RemoteTool>
  readonly skipped: ReadonlyArray<SkippedTool>
  readonly warnings: ReadonlyArray<string>
}

export type OtherMethod =
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "prompts/list"
  | "prompts/get"

export interface Connection {
  /** The revision that both sides speak. */
  readonly protocol: string | null
  /** Process id of a stdio server. */
  readonly pid: number | null
  /** What the server says it has beside tools. */
  readonly offers: { readonly resources: boolean; readonly prompts: boolean }
  /** Every page, tool by tool. */
  readonly listTools: Effect.Effect<ListedTools, CallFailed>
  /** The raw `result`. Interrupting it cancels the call on the wire. `onProgress`: told when the server says so. */
  readonly callTool: (
    name: string,
    input: Schema.Json,
    onProgress?: () => void
  ) => Effect.Effect<unknown, CallFailed>
  /** Any other request: its `result`. */
  readonly request: (
    method: OtherMethod,
    params: Readonly<Record<string, Schema.Json>>
  ) => Effect.Effect<unknown, CallFailed>
  /** Waits for the next announcement that the list changed; several before that count as one. */
  readonly listChanged: Effect.Effect<void>
  /** Waits for the end of the connection: why. */
  readonly ended: Effect.Effect<string>
}
