/** A folder with a workspace and a COW_HOME in it, and the built-in tools over real files and processes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Message, PermissionPolicy, type Tool, ToolManager, ToolResult } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type BuiltinSettings, BuiltinTools } from "../src/index.ts"

export const workbench = (more: Partial<BuiltinSettings> = {}) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cow-tools-")))
  const [workspace, cowHome, home] = [join(root, "work"), join(root, "home/cow"), join(root, "home")]
  mkdirSync(workspace)
  mkdirSync(cowHome, { recursive: true })
  const settings: BuiltinSettings = {
    home,
    cowHome,
    env: { PATH: process.env.PATH, HOME: home },
    allowPrivateFetch: false,
    outputFolder: join(root, "outputs"),
    ...more
  }
  const layer = BuiltinTools.layer(settings).pipe(
    Layer.provideMerge(ToolManager.layer),
    Layer.provide(BunServices.layer)
  )
  const runtime = ManagedRuntime.make(layer)
  const context: Tool.ToolContext = {
    callId: "call_1",
    runId: "run_1",
    sessionId: "session_1",
    persona: "default",
    workspace,
    permission: "full-access"
  }
  const registered = (name: string) =>
    Effect.gen(function* () {
      const table = yield* (yield* ToolManager).snapshot
      const found = table.byName.get(name)
      if (found === undefined) throw new Error(`no tool ${name}`)
      return found
    })
  const run = (name: string, input: Message.JsonObject, own: Partial<Tool.ToolContext> = {}) =>
    Effect.flatMap(registered(name), ({ tool }) => tool.run(input, { ...context, ...own }))
  return {
    root,
    workspace,
    cowHome,
    settings,
    runtime,
    run,
    at: (name: string) => join(workspace, name),
    tools: () => runtime.runPromise(Effect.flatMap(ToolManager, ({ snapshot }) => snapshot)),
    /** Runs a call past the permission matrix, as the gate would. */
    call: async (name: string, input: Message.JsonObject, own: Partial<Tool.ToolContext> = {}) => {
      const result = await runtime.runPromise(run(name, input, own))
      return { result, status: ToolResult.statusOf(result), text: ToolResult.textOf(result) }
    },
    /** What the permission matrix says of a call: Allow, Confirm or Deny, in the three modes. */
    verdicts: (name: string, input: Message.JsonObject) =>
      runtime.runPromise(
        Effect.flatMap(registered(name), (found) =>
          Effect.map(
            Effect.all(
              (["read-only", "workspace-write", "full-access"] as const).map((permission) =>
                PermissionPolicy.check({
                  persona: "default",
                  permission,
                  workspace,
                  registered: found,
                  input
                })
              )
            ),
            (all) => all.map(({ _tag }) => _tag)
          )
        )
      ),
    close: async () => {
      await runtime.dispose()
      rmSync(root, { recursive: true, force: true })
    }
  }
}
