/**
 * What Cow takes from the process it runs in: variables, home folder, current folder, terminals. The one place
 * that reads them; everybody else is handed values.
 *
 * This is the layer for node:os and node:tty. Asking a standard stream itself would open it.
 */
import { homedir } from "node:os"
import { isatty } from "node:tty"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export class Environment extends Context.Service<
  Environment,
  {
    readonly variables: Readonly<Record<string, string | undefined>>
    /** Absolute path. */
    readonly home: string
    /** Absolute path. */
    readonly currentFolder: string
    /** Which of the standard streams are a terminal. */
    readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
    readonly pid: number
    /** `linux`, `darwin`, `win32`. */
    readonly platform: string
  }
>()("@cow/cli/Environment") {
  static readonly layer = Layer.sync(Environment, () => ({
    variables: process.env,
    home: process.env.HOME || homedir(),
    currentFolder: process.cwd(),
    terminal: {
      stdin: isatty(0),
      stdout: isatty(1),
      stderr: isatty(2)
    },
    pid: process.pid,
    platform: process.platform
  }))
}
