/**
 * What a `bash` call would do, as core's `CallEffect`: the pure judgement of `CommandJudge` with its paths looked
 * up, links and all. This is the layer for Bun's glob matcher.
 */
import type { Tool } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { SecretFiles } from "../files/SecretFiles.ts"
import * as ToolPath from "../files/ToolPath.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as ShellProgram from "./ShellProgram.ts"

const isGlob = /[*?[]/

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const path = yield* Path.Path
  const secrets = yield* SecretFiles
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const isSecret = (named: string): Effect.Effect<boolean> => {
    // `*` alone names everything: the values are masked in what comes out.
    if (!isGlob.test(named)) return secrets.holds(named)
    if (!/[^*?]/.test(path.basename(named))) return Effect.succeed(false)
    const matcher = new Bun.Glob(named)
    return Effect.succeed(secrets.paths.some((secret) => matcher.match(secret)))
  }

  const judge = Effect.fn("BashPermission.judge")(function* (command: string, workspace: string) {
    // Loaded with the first command: it brings a whole parser.
    const CommandJudge = yield* Effect.promise(() => import("./judge/CommandJudge.ts"))
    const { isBash } = yield* ShellProgram.find(settings.env)
    const { climbing, effect, ...lexical } = CommandJudge.judge(command, {
      byBash: isBash,
      workspace,
      home: settings.home,
      env: settings.env,
      resolve: path.resolve
    })
    if (effect._tag === "Never") return effect satisfies Tool.CallEffect
    const named = [...lexical.named]
    const written = [...lexical.written]
    for (const { isWritten, path: given } of climbing) {
      const reached = yield* ToolPath.climb(given)
      if (reached !== undefined) (isWritten ? written : named).push(reached)
    }
    for (const file of named)
      if (yield* isSecret(file))
        return {
          _tag: "Never",
          reason: `${file} holds secrets and is closed to tools`
        } satisfies Tool.CallEffect
    for (const file of written)
      if (!(yield* ToolPath.writesInside(file, workspace)))
        return effect._tag === "Escapes"
          ? effect
          : ({
              _tag: "Escapes",
              reason: `it writes outside the workspace: ${file}`
            } satisfies Tool.CallEffect)
    const [first] = written
    if (effect._tag === "Reads" && first !== undefined)
      return { _tag: "Asks", reason: `it writes ${first}` } satisfies Tool.CallEffect
    return effect satisfies Tool.CallEffect
  })
  return (command: string, workspace: string): Effect.Effect<Tool.CallEffect> =>
    Effect.provideContext(judge(command, workspace), context)
})
