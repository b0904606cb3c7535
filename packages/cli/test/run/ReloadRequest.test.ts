import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpManager, ServerNotFound } from "@cow/mcp"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as ReloadRequest from "../../src/run/ReloadRequest.ts"
import * as ConfigFile from "../../src/settings/ConfigFile.ts"
import { pathsIn, UserHome } from "../../src/settings/UserHome.ts"

const homeAt = (folder: string) =>
  Layer.effect(
    UserHome,
    Effect.map(Path.Path, (path) => ({
      paths: pathsIn(path, folder),
      config: ConfigFile.absent(join(folder, "config.json"))
    }))
  )

/** A home folder, and the servers that requests have asked for, in order. */
const withListener = async (
  use: (
    asked: Queue.Queue<string | undefined>
  ) => Effect.Effect<void, unknown, UserHome | BunServices.BunServices>,
  before = (_folder: string): void => {}
) => {
  const folder = mkdtempSync(join(tmpdir(), "cow-reload-"))
  before(folder)
  try {
    const work = Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string | undefined>()
      const manager = Layer.mock(McpManager)({
        reload: (name) =>
          Effect.andThen(
            Queue.offer(asked, name),
            name === "elsewhere" ? Effect.fail(new ServerNotFound({ name, message: "none" })) : Effect.void
          )
      })
      const ready = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        Deferred.succeed(ready, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.provide(ReloadRequest.layer.pipe(Layer.provide(manager)))
        )
      )
      yield* Deferred.await(ready)
      yield* use(asked)
    })
    await Effect.runPromise(
      work.pipe(Effect.scoped, Effect.provide(homeAt(folder)), Effect.provide(BunServices.layer))
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("ReloadRequest", () => {
  test("a process that runs follows each request once, also after one for a server it does not have", () =>
    withListener((asked) =>
      Effect.gen(function* () {
        yield* ReloadRequest.send("elsewhere")
        expect(yield* Queue.take(asked)).toBe("elsewhere")
        yield* ReloadRequest.send("fs")
        expect(yield* Queue.take(asked)).toBe("fs")
        yield* ReloadRequest.send(null)
        expect(yield* Queue.take(asked)).toBeUndefined()
        yield* ReloadRequest.send("fs")
        expect(yield* Queue.take(asked)).toBe("fs")
      })
    ))

  test("what was asked before it started, or cannot be read, is no request for it", async () => {
    for (const text of ['{"server": 1', '{"server":"old","id":1}'])
      await withListener(
        (asked) =>
          Effect.gen(function* () {
            yield* ReloadRequest.send("new")
            expect(yield* Queue.take(asked)).toBe("new")
          }),
        (folder) => {
          mkdirSync(join(folder, "run"))
          writeFileSync(join(folder, "run/reload.json"), text)
        }
      )
  })
})
