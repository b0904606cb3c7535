import { describe, expect, test } from "bun:test"
import { Audience, type GateAsker, type ServerStatus, Tool, ToolGate, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import { PolicyGate } from "../src/index.ts"
import { builtin, mcp, registeredBuiltin, registeredMcp, server, servers } from "./Fixtures.ts"

const asker: GateAsker = { persona: "p1", permission: "workspace-write", workspace: "/w" }

const tools = [
  registeredBuiltin(builtin("ls")),
  registeredMcp(mcp("fs", "read", true)),
  registeredMcp(mcp("git", "log", true))
]

const over = (
  body: (
    usable: (asker: GateAsker, given?: typeof tools) => ReturnType<ToolGate["Service"]["usable"]>,
    current: { list: ReadonlyArray<ServerStatus> }
  ) => Effect.Effect<void>
) => {
  const current = { list: [server(), server({ name: "git" })] as ReadonlyArray<ServerStatus> }
  return ToolGate.pipe(
    Effect.flatMap((gate) => body((who, given = tools) => gate.usable(who, given), current)),
    Effect.provide(PolicyGate.layer),
    Effect.provide(servers(current)),
    Effect.runPromise
  )
}

const names = (found: Effect.Success<ReturnType<ToolGate["Service"]["usable"]>>) =>
  found.map(({ tool }) => tool.name)

describe("the tools that may be used", () => {
  test("are the very same list while nothing changes, also where the servers are listed anew", () =>
    over((usable, current) =>
      Effect.gen(function* () {
        const first = yield* usable(asker)
        expect(first).toBe(tools)
        current.list = [...current.list]
        expect(yield* usable({ ...asker })).toBe(first)
      })
    ))

  test("follow a grant, a revocation and a server's state at the next question, and back", () =>
    over((usable, current) =>
      Effect.gen(function* () {
        const before = current.list
        expect(names(yield* usable(asker))).toEqual(["ls", "mcp__fs__read", "mcp__git__log"])
        current.list = [server({ audience: Audience.only(["p2"]) }), server({ name: "git" })]
        expect(names(yield* usable(asker))).toEqual(["ls", "mcp__git__log"])
        expect(names(yield* usable({ ...asker, persona: "p2" }))).toEqual([
          "ls",
          "mcp__fs__read",
          "mcp__git__log"
        ])
        current.list = [server({ audience: Audience.only(["p1"]) }), server({ name: "git", state: "failed" })]
        expect(names(yield* usable(asker))).toEqual(["ls", "mcp__fs__read"])
        current.list = [server()]
        expect(names(yield* usable(asker))).toEqual(["ls", "mcp__fs__read"])
        current.list = []
        expect(names(yield* usable(asker))).toEqual(["ls"])
        current.list = before
        expect(names(yield* usable(asker))).toEqual(["ls", "mcp__fs__read", "mcp__git__log"])
      })
    ))

  test("are told apart by persona, mode, workspace and table, asked in any order", () =>
    over((usable) =>
      Effect.gen(function* () {
        const writes = Tool.make({
          name: "writes",
          description: "",
          effectOf: (_, workspace) =>
            Effect.succeed(workspace === "/w" ? { _tag: "WritesWorkspace" } : { _tag: "Reads" }),
          run: () => Effect.succeed(ToolResult.ok(""))
        })
        const more = [...tools, registeredBuiltin(writes)]
        for (let round = 0; round < 2; round++) {
          expect(names(yield* usable({ ...asker, permission: "read-only" }, more))).not.toContain("writes")
          expect(names(yield* usable(asker, more))).toContain("writes")
          expect(
            names(yield* usable({ ...asker, permission: "read-only", workspace: "/other" }, more))
          ).toContain("writes")
          expect(names(yield* usable(asker))).not.toContain("writes")
        }
      })
    ))

  test("of many askers are asked for once each, and one list where they are the same", () =>
    over((usable, current) =>
      Effect.gen(function* () {
        current.list = [server({ audience: Audience.only(["p1"]) }), server({ name: "git" })]
        const denied = yield* usable({ ...asker, persona: "p0" })
        expect(names(denied)).toEqual(["ls", "mcp__git__log"])
        for (let at = 0; at < 500; at++)
          expect(yield* usable({ ...asker, persona: "p0", workspace: `/w${at}` })).toBe(denied)
      })
    ))
})
