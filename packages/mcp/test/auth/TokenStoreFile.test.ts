import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { makeMemory, type TokenStoreShape } from "../../src/auth/TokenStore.ts"
import * as TokenStoreFile from "../../src/auth/TokenStoreFile.ts"

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cow-tokens-"))
  file = join(folder, "credentials.json")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const inFile = <A, E>(use: (store: TokenStoreShape) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    return yield* use(TokenStoreFile.make(fs, path, file))
  }).pipe(Effect.provide(BunServices.layer), Effect.runPromise)
const inMemory = <A, E>(use: (store: TokenStoreShape) => Effect.Effect<A, E>) =>
  Effect.runPromise(use(makeMemory()))

const key = (server: string, issuer: string) => ({ server, url: `http://${server}/mcp`, issuer })
const tokens = (access_token: string) => ({ tokens: { access_token } })
const save = (store: TokenStoreShape, server: string, issuer: string, token: string) =>
  store.update(key(server, issuer), (login) => ({ ...login, ...tokens(token) }))

for (const [where, using] of [
  ["in a file", inFile],
  ["in memory", inMemory]
] as const)
  describe(`logins ${where}`, () => {
    test("are kept by server, address and issuer, the latest first", () =>
      using((store) =>
        Effect.gen(function* () {
          yield* save(store, "a", "i1", "t1")
          yield* save(store, "a", "i2", "t2")
          yield* save(store, "b", "i1", "t3")
          yield* save(store, "a", "i1", "t4")
          expect(yield* store.list(key("a", ""))).toEqual([
            { ...key("a", "i1"), ...tokens("t4") },
            { ...key("a", "i2"), ...tokens("t2") }
          ])
          expect(yield* store.list({ server: "a", url: "http://b/mcp" })).toEqual([])
          expect(yield* store.remove("a")).toBe(2)
          expect(yield* store.list(key("a", ""))).toEqual([])
          expect((yield* store.list(key("b", ""))).length).toBe(1)
        })
      ))

    test("go away when a change leaves nothing", () =>
      using((store) =>
        Effect.gen(function* () {
          yield* save(store, "a", "i", "t")
          yield* store.update(key("a", "i"), () => undefined)
          expect(yield* store.list(key("a", ""))).toEqual([])
        })
      ))
  })

describe("credentials.json", () => {
  test("is made with mode 0600, and nothing else is left beside it", async () => {
    await inFile((store) => save(store, "a", "i", "t"))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(["credentials.json"])
  })

  test("is narrowed when it is only read", async () => {
    await inFile((store) => save(store, "a", "i", "t"))
    chmodSync(file, 0o644)
    await inFile((store) => store.list(key("a", "")))
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test("is not made by reading, and not written when nothing changes", async () => {
    await inFile((store) => Effect.andThen(store.list(key("a", "")), store.remove("a")))
    expect(existsSync(file)).toBe(false)
    await inFile((store) => save(store, "a", "i", "t"))
    const { ino } = statSync(file)
    await inFile((store) => save(store, "a", "i", "t"))
    expect(statSync(file).ino).toBe(ino)
  })

  test("that is broken is kept as .bak when it is written again", async () => {
    writeFileSync(file, "{not json", { mode: 0o600 })
    expect(await inFile((store) => store.list(key("a", "")))).toEqual([])
    await inFile((store) => save(store, "a", "i", "t"))
    expect(readFileSync(`${file}.bak`, "utf8")).toBe("{not json")
    expect(statSync(`${file}.bak`).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, "utf8")).mcp_logins.length).toBe(1)
  })

  test("keeps entries that it cannot read", async () => {
    writeFileSync(file, '{"mcp_logins": [{"of": "a later Cow"}]}', { mode: 0o600 })
    await inFile((store) => save(store, "a", "i", "t"))
    expect(JSON.parse(readFileSync(file, "utf8")).mcp_logins).toContainEqual({ of: "a later Cow" })
  })

  test("loses nothing to twenty stores that write at once", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`)
    await Promise.all(names.map((name) => inFile((store) => save(store, name, "i", name))))
    for (const name of names)
      expect(await inFile((store) => store.list(key(name, "")))).toMatchObject([tokens(name)])
  })
})
