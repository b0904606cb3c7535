import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { Permission, PermissionPolicy, type Tool, ToolGate } from "../../src/index.ts"
import { builtin, someTool } from "../SomeTool.ts"

const modes = Permission.PermissionMode.literals
const reason = "because"
const effects: ReadonlyArray<Tool.CallEffect> = [
  { _tag: "Reads" },
  { _tag: "WritesWorkspace" },
  { _tag: "Asks", reason },
  { _tag: "Escapes", reason },
  { _tag: "Never", reason }
]

/** Rows are effects, columns `read-only`, `workspace-write`, `full-access`. */
const matrix: Record<Tool.CallEffect["_tag"], ReadonlyArray<PermissionPolicy.Verdict["_tag"]>> = {
  Reads: ["Allow", "Allow", "Allow"],
  WritesWorkspace: ["Deny", "Allow", "Allow"],
  Asks: ["Deny", "Confirm", "Allow"],
  Escapes: ["Deny", "Deny", "Allow"],
  Never: ["Deny", "Deny", "Deny"]
}

const verdict = (tool: Tool.Tool, permission: Permission.PermissionMode) =>
  Effect.runSync(
    PermissionPolicy.check({
      persona: "default",
      permission,
      workspace: "/w",
      registered: { tool, source: builtin },
      input: {}
    })
  )

describe("the matrix", () => {
  for (const effect of effects)
    for (const [at, mode] of modes.entries()) {
      const wanted = matrix[effect._tag][at]
      test(`${effect._tag} in ${mode} is ${wanted}`, () => {
        expect(PermissionPolicy.judge(mode, effect)._tag).toBe(wanted as "Allow")
        // The same when the tool judges its call itself.
        const tool = someTool("x", { effectOf: () => Effect.succeed(effect) })
        expect(verdict(tool, mode)._tag).toBe(wanted as "Allow")
      })
    }

  test("a stricter mode never allows more", () => {
    const rank = { Allow: 2, Confirm: 1, Deny: 0 }
    for (const effect of effects) {
      const ranks = modes.map((mode) => rank[PermissionPolicy.judge(mode, effect)._tag])
      expect(ranks).toEqual([...ranks].sort())
    }
  })

  test("a refusal names the mode and gives the tool's reason", () => {
    expect(PermissionPolicy.judge("read-only", { _tag: "Escapes", reason: "it uses sudo" })).toMatchObject({
      reason: expect.stringMatching(/read-only.*it uses sudo/)
    })
    expect(PermissionPolicy.judge("full-access", { _tag: "Never", reason: "credentials" })).toMatchObject({
      reason: "credentials"
    })
  })
})

describe("a tool that does not judge its calls", () => {
  const bySpec = (requires_confirmation: boolean, mutates_data: boolean) =>
    modes.map((mode) => verdict(someTool("x", { spec: { requires_confirmation, mutates_data } }), mode)._tag)

  test("is judged by its two flags, each for itself", () => {
    expect(bySpec(false, false)).toEqual(["Allow", "Allow", "Allow"])
    expect(bySpec(false, true)).toEqual(["Deny", "Allow", "Allow"])
    expect(bySpec(true, false)).toEqual(["Confirm", "Confirm", "Allow"])
    expect(bySpec(true, true)).toEqual(["Deny", "Confirm", "Allow"])
  })

  test("keeps the run's own mode in the verdict", () => {
    const consent = someTool("x", { spec: { requires_confirmation: true } })
    expect(verdict(consent, "read-only").mode).toBe("read-only")
  })
})

describe("a tool that cannot say what its call would do", () => {
  test("is denied, whether its check dies or throws", () => {
    const dies = someTool("x", { effectOf: () => Effect.die("boom") })
    const throws = someTool("x", {
      effectOf: () => {
        throw new Error("boom")
      }
    })
    for (const tool of [dies, throws])
      expect(modes.map((mode) => verdict(tool, mode)._tag)).toEqual(["Deny", "Deny", "Deny"])
  })
})

describe("ToolGate.layerPermission", () => {
  const decide = (effect: Tool.CallEffect, permission: Permission.PermissionMode) =>
    Effect.flatMap(ToolGate, (gate) =>
      gate.decide({
        persona: "default",
        permission,
        workspace: "/w",
        registered: {
          tool: someTool("x", { effectOf: () => Effect.succeed(effect) }),
          source: builtin
        }
      })
    ).pipe(Effect.provide(ToolGate.layerPermission), Effect.runSync)

  test("allows with every check passed", () => {
    const decision = decide({ _tag: "Reads" }, "read-only")
    expect(decision._tag).toBe("Allow")
    expect(decision.trace.map(({ check, ok }) => [check, ok])).toEqual([
      ["registered", true],
      ["permission", true],
      ["confirmation", true]
    ])
  })

  test("asks with the confirmation open and how to give it", () => {
    const decision = decide({ _tag: "Asks", reason }, "workspace-write")
    expect(decision).toMatchObject({ _tag: "Confirm", reason })
    expect(decision.trace.at(-1)).toEqual({
      check: "confirmation",
      ok: false,
      detail: reason,
      fix: "cow approve RUN"
    })
  })

  test("denies by permission mode and claims nothing for the checks after it", () => {
    const decision = decide({ _tag: "Escapes", reason }, "workspace-write")
    expect(decision).toMatchObject({ _tag: "Deny", reason: "permission_mode" })
    expect(decision.trace.map(({ check, ok }) => [check, ok])).toEqual([
      ["registered", true],
      ["permission", false],
      ["confirmation", false]
    ])
  })
})

describe("Permission", () => {
  test("an unknown word acts as read-only and is told apart", () => {
    expect(Permission.parse("full-access")).toEqual({ mode: "full-access", known: true })
    for (const word of ["", "Full-Access", "root", "toString"])
      expect(Permission.parse(word)).toEqual({ mode: "read-only", known: false })
  })

  test("the stricter of two modes, for every pair", () => {
    for (const [left, one] of modes.entries())
      for (const [right, other] of modes.entries())
        expect(Permission.stricter(one, other)).toBe(modes[Math.min(left, right)] as "read-only")
  })
})
