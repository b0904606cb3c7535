/**
 * The port to servers that bring tools: which there are, how each stands, and who may use it. The mcp package
 * has the layer; core's own has no servers.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ServerStatus } from "../model/ServerStatus.ts"

export class ToolServers extends Context.Service<
  ToolServers,
  {
    /** Sorted by name. */
    readonly list: Effect.Effect<ReadonlyArray<ServerStatus>>
    /** Each change of a server's state, from the moment of subscribing on. */
    readonly changes: Stream.Stream<ServerStatus>
    /** Looks whether the configuration changed, and starts applying it in the background. Never waits for a server. */
    readonly refresh: Effect.Effect<void>
    /** Somebody waits for servers: those that hold their start back begin now. Waits for none. */
    readonly begin: Effect.Effect<void>
  }
>()("@cow/core/ToolServers") {
  static readonly layerNone: Layer.Layer<ToolServers> = Layer.succeed(ToolServers, {
    list: Effect.succeed([]),
    changes: Stream.empty,
    refresh: Effect.void,
    begin: Effect.void
  })
}
