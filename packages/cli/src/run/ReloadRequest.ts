/**
 * How `cow mcp reload` reaches processes that run: a small file in the user's home that they look at while they
 * live. Restarting is `McpManager`'s.
 */
import { AtomicFile } from "@cow/core"
import { McpManager } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { UserHome } from "../settings/UserHome.ts"

/** How long it takes until a running process sees a request, at most. */
const lookEvery = "500 millis"

/** `server` null: read the configuration again and try the failed ones. `id` differs from request to request. */
const Request = Schema.fromJsonString(
  Schema.Struct({ server: Schema.NullOr(Schema.String), id: Schema.Number })
)
const decode = Schema.decodeUnknownOption(Request)
const encode = Schema.encodeSync(Request)

export const send = Effect.fnUntraced(function* (server: string | null) {
  const { paths } = yield* UserHome
  const id = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
  yield* AtomicFile.write(paths.reloadRequest, encode({ server, id }))
})

/** Follows requests for as long as the layer is open. What was asked before it opened is not for it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const manager = yield* McpManager
    const { paths } = yield* UserHome
    // No file, or one that is being replaced: there is no request now.
    const read = Effect.map(Effect.option(fs.readFileString(paths.reloadRequest)), Option.flatMap(decode))
    const idOf = Option.map(({ id }: { readonly id: number }) => id)
    let seen = idOf(yield* read)
    const look = Effect.gen(function* () {
      const request = yield* read
      if (Option.isNone(request) || Option.getOrUndefined(seen) === request.value.id) return
      seen = idOf(request)
      yield* manager.reload(request.value.server ?? undefined).pipe(
        // A server of another project is none of this process's.
        Effect.catchTag("ServerNotFound", ({ message }) => Effect.logDebug(`nothing to reload: ${message}`))
      )
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
  })
)
