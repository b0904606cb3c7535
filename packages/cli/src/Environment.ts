/**
 * What Cow takes from the process it runs in: variables, home folder, current folder, terminals. The one place
 * that reads them; everybody else is handed values.
 *
 * This is the layer for node:os.
 */
import { homedir } from "node:os"
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
  }
>()("@cow/cli/Environment") {
  static readonly layer = Layer.sync(Environment, () => ({
    variables: process.env,
    home: process.env.HOME || homedir(),
    currentFolder: process.cwd(),
    terminal: {
      stdin: process.stdin.isTTY === true,
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true
    },
    pid: process.pid
  }))
}

const reference = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** The text with `${VAR}`, `${VAR:-default}` and `${env:VAR}` filled in, and the names that are not set. */
export const expand = (
  text: string,
  variables: Readonly<Record<string, string | undefined>>
): { readonly text: string; readonly missing: ReadonlyArray<string> } => {
  const missing: Array<string> = []
  const filled = text.replace(reference, (_, name: string, fallback: string | undefined) => {
    const value = variables[name]
    if (value !== undefined && !(value === "" && fallback !== undefined)) return value
    if (fallback === undefined) missing.push(name)
    return fallback ?? ""
  })
  return { text: filled, missing }
}
