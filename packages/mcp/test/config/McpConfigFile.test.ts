import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Audience } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { McpConfigFile, type McpEditRefused } from "../../src/config/McpConfigFile.ts"
import { Home } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const edit = <A>(
  use: (file: typeof McpConfigFile.Service) => Effect.Effect<A, McpEditRefused>,
  configServers?: Schema.Json
) =>
  Effect.runPromise(
    Effect.flatMap(McpConfigFile, use).pipe(
      Effect.provide(
        McpConfigFile.layer({ cowHome: home.dir, configServers }).pipe(Layer.provide(BunServices.layer))
      )
    )
  )
const text = () => readFileSync(home.file, "utf8")
const written = () => JSON.parse(text())
const nobody = Audience.only([])
const forDefault = Audience.only(["default"])

describe("mcp.json", () => {
  test("is made with the first server, who may use it written out", async () => {
    await edit((file) => file.add("x", { command: "cmd", args: ["a b"] }, forDefault))
    expect(written()).toEqual({
      mcpServers: { x: { command: "cmd", args: ["a b"], allowed_persona_ids: ["default"] } }
    })
    expect(statSync(home.file).mode & 0o777).toBe(0o600)
  })

  test("takes over mcp_servers of config.json the first time", async () => {
    await edit((file) => file.add("x", { url: "http://h" }, nobody), { old: { command: "c" } })
    expect(Object.keys(written().mcpServers)).toEqual(["old", "x"])
  })

  test("keeps its form, its order and what is unknown in it", async () => {
    for (const [document, expected] of [
      [
        { $schema: "s", mcpServers: { b: { command: "b", own: 1 }, a: { command: "a" } }, more: [1] },
        {
          $schema: "s",
          mcpServers: {
            b: { command: "b", own: 1, allowed_persona_ids: ["*"], disabled: true },
            a: { command: "a" }
          },
          more: [1]
        }
      ],
      [
        [
          { name: "b", command: "b", enabled: true },
          { name: "a", command: "a" }
        ],
        [
          { name: "b", command: "b", enabled: false, allowed_persona_ids: ["*"] },
          { name: "a", command: "a" }
        ]
      ],
      [
        { b: { command: "b", disabled: false } },
        { b: { command: "b", disabled: true, allowed_persona_ids: ["*"] } }
      ]
    ] as const) {
      home.write(document)
      await edit((file) => file.setEnabled("b", false))
      expect(written()).toEqual(expected)
    }
    home.write({ mcp_servers: [{ name: "a", command: "a" }] })
    await edit((file) => file.add("b", { command: "b" }, nobody))
    await edit((file) => file.remove("a"))
    expect(written()).toEqual({ mcp_servers: [{ name: "b", command: "b", allowed_persona_ids: [] }] })
  })

  test("takes a server away with its logins and logs, and gives none of them to the next of its name", async () => {
    const credentials = join(home.dir, "credentials.json")
    const [log, older] = ["mcp-web.log", "mcp-web.log.1"].map((name) => join(home.dir, "logs", name))
    const login = (server: string) => ({
      server,
      url: "http://h/mcp",
      issuer: "http://i",
      tokens: { access_token: server }
    })
    const left = () => [
      JSON.parse(readFileSync(credentials, "utf8")).mcp_logins.map(
        ({ server }: { server: string }) => server
      ),
      readdirSync(join(home.dir, "logs"))
    ]
    const leave = () => {
      writeFileSync(credentials, JSON.stringify({ mcp_logins: [login("web"), login("other")] }), {
        mode: 0o600
      })
      mkdirSync(join(home.dir, "logs"), { recursive: true })
      for (const file of [log, older, join(home.dir, "logs", "mcp-other.log")])
        writeFileSync(file ?? "", "said")
    }
    home.write({ mcpServers: { web: { url: "http://h/mcp" }, other: { command: "o" } } })
    leave()
    await edit((file) => file.remove("web"))
    expect(left()).toEqual([["other"], ["mcp-other.log"]])
    // One that went otherwise, as by hand.
    leave()
    await edit((file) => file.add("web", { url: "http://h/mcp" }, nobody))
    expect(left()).toEqual([["other"], ["mcp-other.log"]])
    // A refused edit costs nothing.
    leave()
    await edit((file) => Effect.ignore(file.add("web", { url: "http://h/mcp" }, nobody)))
    await edit((file) => Effect.ignore(file.remove("nobody")))
    expect(left()[0]).toEqual(["web", "other"])
  })

  test("is not written when nothing changes", async () => {
    home.write('{"mcpServers":   {"a": {"command": "a", "allowed_persona_ids": ["p"]}}}')
    const before = [text(), statSync(home.file).mtimeMs]
    await edit((file) => file.setAudience("a", Audience.only(["p"])))
    await edit((file) => file.setEnabled("a", true))
    expect([text(), statSync(home.file).mtimeMs]).toEqual(before)
  })

  test("is kept as .bak when it is broken, or when comments in it would be lost", async () => {
    for (const before of ['{"mcpServers": {', '// mine\n{"a": {"command": "a"}}']) {
      home.write(before)
      await edit((file) => file.add("x", { command: "c" }, nobody))
      expect(readFileSync(`${home.file}.bak`, "utf8")).toBe(before)
    }
    expect(Object.keys(written())).toEqual(["a", "x"])
  })

  test("refuses a name that exists, one that does not, and an entry that cannot be started", async () => {
    home.write({ a: { command: "a" } })
    const refusal = (use: Parameters<typeof edit>[0]) =>
      edit((file) => Effect.flip(use(file) as Effect.Effect<never, McpEditRefused>))
    expect((await refusal((file) => file.add("a", { command: "a" }, nobody))).reason).toBe("exists")
    expect((await refusal((file) => file.remove("b"))).reason).toBe("not_found")
    expect(await refusal((file) => file.add("b", { command: "c", timeout: -1 }, nobody))).toMatchObject({
      reason: "invalid",
      message: 'server "b": "timeout" must be a number of seconds above 0'
    })
    expect(written()).toEqual({ a: { command: "a" } })
    expect(readdirSync(dirname(home.file)).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  test("has the changes of all who edit it at once", async () => {
    const program = join(import.meta.dir, "..", "fixtures", "edit-process.ts")
    const editors = ["a", "b", "c"].map((letter) =>
      Bun.spawn([process.execPath, program, home.dir, letter, "15"], { stderr: "inherit" })
    )
    const many = Array.from({ length: 15 }, (_, at) => `own${at}`)
    await edit((file) =>
      Effect.forEach(many, (name) => file.add(name, { command: "c" }, nobody), { concurrency: "unbounded" })
    )
    for (const editor of editors) expect(await editor.exited).toBe(0)
    expect(Object.keys(written().mcpServers).length).toBe(60)
    expect(readdirSync(home.dir)).toEqual(["mcp.json"])
  }, 30_000)

  test("is freed of the lock that a killed process left", async () => {
    const lock = `${home.file}.lock`
    writeFileSync(lock, "")
    const old = new Date(Date.now() - 60_000)
    utimesSync(lock, old, old)
    await edit((file) => file.add("x", { command: "c" }, nobody))
    expect(readdirSync(home.dir)).toEqual(["mcp.json"])
  })

  test("stays a link when it is one", async () => {
    const real = join(home.dir, "real.json")
    writeFileSync(real, "{}", { mode: 0o644 })
    symlinkSync(real, home.file)
    await edit((file) => file.add("__proto__", { command: "c" }, nobody))
    expect(lstatSync(home.file).isSymbolicLink()).toBe(true)
    expect(statSync(real).mode & 0o777).toBe(0o644)
    expect(readFileSync(real, "utf8")).toContain('"__proto__"')
    renameSync(real, `${real}.moved`)
  })
})
