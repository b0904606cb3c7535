/** What is said of a command that has run: its output, its exit, what of it is only in a file. */
import * as Effect from "effect/Effect"
import type { Captured } from "./OutputCapture.ts"

/** Exit 1 of these is an answer, not a fault: nothing found, not equal, not true. */
const soft = new Set(["grep", "egrep", "fgrep", "rg", "find", "diff", "cmp", "test", "["])

/** True when exit code 1 of this command only says no. */
export const isSoft = Effect.fn("BashResult.isSoft")(function* (command: string) {
  // Loaded with the first question: it brings a whole parser.
  const { lastName } = yield* Effect.promise(() => import("./syntax/ShellText.ts"))
  return soft.has((lastName(command) ?? "").replace(/^.*\//, ""))
})

const part = ({ text, chars, lines, file, fileIsCut }: Captured): string => {
  if (file === undefined) return text.replace(/\n$/, "")
  const whole = fileIsCut ? "its beginning is" : "the whole is"
  return `[the last part of ${chars} characters in ${lines} lines; ${whole} in ${file}]\n${text.replace(/\n$/, "")}`
}

/** Both outputs, told apart where both are there. */
export const output = (stdout: Captured, stderr: Captured): string => {
  if (stdout.chars === 0 && stderr.chars === 0) return "(no output)"
  if (stderr.chars === 0) return part(stdout)
  if (stdout.chars === 0) return part(stderr)
  return `[stdout]\n${part(stdout)}\n[stderr]\n${part(stderr)}`
}
