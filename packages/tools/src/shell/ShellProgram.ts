/**
 * Which shell runs commands: bash, or sh where there is none. One answer for who judges a command (other shells read
 * some texts otherwise) and who starts it (`ShellProcess`).
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

export interface ShellProgram {
  /** Absolute, or a bare name where none was found: starting it says so. */
  readonly file: string
  readonly isBash: boolean
}

/** Where a system without a PATH looks. */
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

/** Looks along `PATH` of the environment that commands get. */
export const find = Effect.fn("ShellProgram.find")(function* (
  env: Readonly<Record<string, string | undefined>>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = (env.PATH ?? defaultPath).split(":").filter((folder) => path.isAbsolute(folder))
  for (const name of ["bash", "sh"])
    for (const folder of folders) {
      const file = path.join(folder, name)
      if (yield* Effect.orElseSucceed(fs.exists(file), () => false))
        return { file, isBash: name === "bash" } satisfies ShellProgram
    }
  return { file: "bash", isBash: true } satisfies ShellProgram
})
