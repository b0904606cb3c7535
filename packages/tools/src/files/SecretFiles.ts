/**
 * The files no tool may open: credentials and `.env` of `COW_HOME`, and the environment of processes; by whatever
 * spelling, link or case. Hiding the values they hold in other output is `SecretValues`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { CallDenied } from "../tool/CallFailure.ts"
import * as ToolPath from "./ToolPath.ts"

const names: ReadonlyArray<string> = ["credentials.json", ".env"]
const environment = /^\/proc\/(?:[^/]+\/)?(?:task\/[^/]+\/)?environ$/

/** Which file it is on its disk. */
type Identity = Pick<FileSystem.File.Info, "dev" | "ino">

/** True for a secret, told by its path and what it is. */
export type Sieve = (file: string, info: Identity) => boolean

export class SecretFiles extends Context.Service<
  SecretFiles,
  {
    /** Where the secrets of Cow are, whether they exist or not. */
    readonly paths: ReadonlyArray<string>
    /** True when an absolute path leads to a secret. */
    readonly holds: (file: string) => Effect.Effect<boolean>
    /** The same for many real paths with their facts at hand, as secrets are now. */
    readonly sieve: Effect.Effect<Sieve>
    /** Fails with `CallDenied` when it does. */
    readonly guard: (file: string) => Effect.Effect<void, CallDenied>
  }
>()("@cow/tools/SecretFiles") {
  static readonly layer = (
    cowHome: string
  ): Layer.Layer<SecretFiles, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      SecretFiles,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const paths = names.map((name) => path.join(cowHome, name))
        const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
        const real = (file: string) => Effect.provideContext(ToolPath.real(file), context)
        const keyOf = (file: string, { dev, ino }: Identity) => `${dev}:${Option.getOrElse(ino, () => file)}`
        const identity = (file: string) =>
          Effect.option(Effect.map(fs.stat(file), (info) => keyOf(file, info)))

        const holds = Effect.fnUntraced(function* (file: string) {
          const target = (yield* real(file)) ?? path.resolve(file)
          if (environment.test(target)) return true
          const folder = (yield* real(cowHome)) ?? cowHome
          // Same name in another case: the same file on a disk that is blind to case.
          if (path.dirname(target) === folder && names.includes(path.basename(target).toLowerCase()))
            return true
          const one = yield* identity(target)
          if (Option.isNone(one)) return false
          for (const secret of paths) {
            const other = yield* identity(secret)
            if (Option.isSome(other) && other.value === one.value) return true
          }
          return false
        })

        const sieve = Effect.map(Effect.forEach(paths, identity), (found) => {
          const keys = new Set(found.flatMap(Option.toArray))
          return (file: string, info: Identity) => environment.test(file) || keys.has(keyOf(file, info))
        })

        const guard = (file: string) =>
          Effect.flatMap(holds(file), (secret) =>
            secret
              ? Effect.fail(new CallDenied({ message: `${file} holds secrets and is closed to tools` }))
              : Effect.void
          )
        return SecretFiles.of({ paths, holds, sieve, guard })
      })
    )
}
