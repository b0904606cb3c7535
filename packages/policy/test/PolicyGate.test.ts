import { describe, expect, test } from "bun:test"
import { Audience, type Permission, type ServerStatus, ToolGate, type ToolTable } from "@cow/core"
import * as Effect from "effect/Effect"
import { decide, PolicyGate, type PolicyRules } from "../src/index.ts"
import { builtin, mcp, registeredBuiltin, registeredMcp, server, servers } from "./Fixtures.ts"

const read = registeredMcp(mcp("fs", "read", true))
const write = registeredMcp(mcp("fs", "write", false))

const ask = (
  registered: ToolTable.RegisteredTool,
  list: ReadonlyArray<ServerStatus>,
  permission: Permission.PermissionMode = "workspace-write",
  persona = "p1"
) =>
  ToolGate.pipe(
    Effect.flatMap((gate) => gate.decide({ persona, permission, workspace: "/w", registered })),
    Effect.provide(PolicyGate.layer),
    Effect.provide(servers({ list })),
    Effect.runSync
  )

const failed = (decision: ReturnType<typeof ask>) =>
  decision.trace.filter(({ ok }) => !ok).map(({ check }) => check)

describe("PolicyGate", () => {
  test("every decision shows all seven checks in their order", () => {
    for (const registered of [read, write, registeredBuiltin(builtin("ls"))])
      for (const permission of ["read-only", "workspace-write", "full-access"] as const)
        expect(ask(registered, [server()], permission).trace.map(({ check }) => check)).toEqual([
          "registered",
          "server",
          "grant",
          "policy",
          "skill",
          "permission",
          "confirmation"
        ])
  })

  test("a built-in tool needs neither server nor grant", () => {
    expect(ask(registeredBuiltin(builtin("ls")), [])._tag).toBe("Allow")
  })

  test("a read-only tool of a granted server that is up is allowed", () => {
    expect(ask(read, [server({ audience: Audience.only(["p1"]) })])._tag).toBe("Allow")
  })

  test("connecting is not granting: only the grant fails, and the fix grants it", () => {
    const decision = ask(read, [server({ audience: Audience.only(["p2"]) })])
    expect(decision).toMatchObject({ _tag: "Deny", reason: "not_granted" })
    expect(failed(decision)).toEqual(["grant"])
    expect(decision.trace[2]?.fix).toBe("cow mcp grant fs p1")
    expect(decision.trace[2]?.detail).toContain("p2")
  })

  test.each([
    ["disabled", "cow mcp enable fs"],
    ["untrusted", "cow trust"],
    ["pending", "cow mcp list --mcp-wait 30"],
    ["starting", "cow mcp list --mcp-wait 30"],
    ["failed", "cow mcp test fs"],
    ["needs_auth", "cow mcp login fs"]
  ] as const)("a server that is %s denies and names the way out", (state, fix) => {
    const decision = ask(read, [server({ state, error: state === "failed" ? "exit 1" : null })])
    expect(decision).toMatchObject({ _tag: "Deny", reason: "server_not_ready" })
    expect(failed(decision)).toEqual(["server"])
    expect(decision.trace[1]?.fix).toBe(fix)
    expect(decision.trace[1]?.detail).toContain(state)
  })

  test("the last error of a failed server is in the detail", () => {
    expect(ask(read, [server({ state: "failed", error: "exit 1" })]).trace[1]?.detail).toContain("exit 1")
  })

  test("a server that left the configuration denies", () => {
    expect(ask(read, [])).toMatchObject({ _tag: "Deny", reason: "server_not_ready" })
  })

  test("a server name that a shell would split is quoted in the fix", () => {
    const odd = registeredMcp(mcp("it's a server", "read", true))
    const status = server({ name: "it's a server", audience: Audience.only([]) })
    expect(ask(odd, [status]).trace[2]?.fix).toBe("cow mcp grant 'it'\\''s a server' p1")
  })

  test("a tool that may change things is asked for, refused or let through by the mode", () => {
    expect(ask(write, [server()])).toMatchObject({ _tag: "Confirm" })
    expect(ask(write, [server()], "full-access")._tag).toBe("Allow")
    const refused = ask(write, [server()], "read-only")
    expect(refused).toMatchObject({ _tag: "Deny", reason: "permission_mode" })
    expect(refused.trace[5]?.fix).toBe("cow run --permission workspace-write")
    expect(refused.trace[6]).toEqual({ check: "confirmation", ok: false, detail: "not checked" })
  })

  test("full access replaces no grant", () => {
    expect(ask(write, [server({ audience: Audience.only([]) })], "full-access")).toMatchObject({
      _tag: "Deny",
      reason: "not_granted"
    })
  })

  test("a grant taken away counts from the next question on", () => {
    const current = { list: [server()] }
    const question = {
      persona: "p1",
      permission: "workspace-write",
      workspace: "/w",
      registered: read
    } as const
    Effect.gen(function* () {
      const gate = yield* ToolGate
      expect((yield* gate.decide(question))._tag).toBe("Allow")
      current.list = [server({ audience: Audience.only([]) })]
      expect(yield* gate.decide(question)).toMatchObject({ reason: "not_granted" })
    }).pipe(Effect.provide(PolicyGate.layer), Effect.provide(servers(current)), Effect.runSync)
  })

  test("of several failed checks the first in order is the reason", () => {
    const decision = ask(write, [server({ state: "disabled", audience: Audience.only([]) })], "read-only")
    expect(decision).toMatchObject({ reason: "server_not_ready" })
    expect(failed(decision)).toEqual(["server", "grant", "permission", "confirmation"])
  })
})

describe("decide", () => {
  const withRows = (rows: ReadonlyArray<PolicyRules.PolicyRow>, audience: Audience.Audience) =>
    decide({
      persona: "p1",
      registered: read,
      server: server({ audience }),
      rows,
      verdict: { _tag: "Allow", mode: "workspace-write" },
      laxerMode: null
    })

  test("a row that forbids is the only failed check and is named", () => {
    const decision = withRows(
      [{ persona: "p1", capability: "mcp/fs/read", allowed: false }],
      Audience.everyone
    )
    expect(decision).toMatchObject({ _tag: "Deny", reason: "denied_by_policy" })
    expect(decision.trace.filter(({ ok }) => !ok)).toMatchObject([
      { check: "policy", detail: "row for persona p1: mcp/fs/read = false" }
    ])
  })

  test("a row that allows replaces no grant", () => {
    const rows = [{ persona: "p1", capability: "mcp/fs/read", allowed: true }]
    expect(withRows(rows, Audience.only(["p2"]))).toMatchObject({ _tag: "Deny", reason: "not_granted" })
    expect(withRows(rows, Audience.only(["p1"]))._tag).toBe("Allow")
  })
})
