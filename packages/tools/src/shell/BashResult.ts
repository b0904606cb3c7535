/** What is said of a command that has run: its output, its exit, what of it is only in a file. */
import { Excerpt } from "@cow/core"
import * as Effect from "effect/Effect"
import type { Captured } from "./OutputCapture.ts"
import * as ProcessSignal from "./ProcessSignal.ts"
import type { ShellExit } from "./ShellProcess.ts"

const maxLineChars = 80

/** Exit 1 of these is an answer, not a fault: nothing found, not equal, not true. */
const soft = new Set(["grep", "egrep", "fgrep", "rg", "find", "diff", "cmp", "test", "["])

/** True when exit code 1 of this command only says no. */
export const isSoft = Effect.fn("BashResult.isSoft")(function* (command: string) {
  // Loaded with the first question: it brings a whole parser.
  const { lastName } = yield* Effect.promise(() => import("./syntax/ShellText.ts"))
  return soft.has((lastName(command) ?? "").replace(/^.*\//, ""))
})

/** How bash tells of a command of its own that was killed: `bash: line 1: 4711 Killed   sleep 9`. */
const report = /^\S+: line \d+:\s+\d+ [A-Z]/m

/** `exit code 3`, or what ended the command; a code over 128 is a signal only where the shell has told of one. */
export const ending = ({ code, signal }: ShellExit, stderr: Captured): string => {
  if (code === undefined) return signal === undefined ? "ended by a signal" : ProcessSignal.describe(signal)
  const inner = report.test(stderr.text) ? ProcessSignal.fromExitCode(code) : undefined
  return `exit code ${code}${inner === undefined ? "" : `: a command in it was ${ProcessSignal.describe(inner)}`}`
}

const part = ({ text, chars, lines, file, fileIsCut }: Captured): string => {
  if (file === undefined) return text.replace(/\n$/, "")
  const whole = fileIsCut ? "its beginning is" : "the whole is"
  return `[the last part of ${chars} characters in ${lines} lines; ${whole} in ${file}]\n${text.replace(/\n$/, "")}`
}

/** One line of a command or of its output, to tell it by. */
export const shortened = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length > maxLineChars ? `${Excerpt.head(line, maxLineChars - 1)}…` : line
}

/** Both outputs, told apart where both are there. */
export const output = (stdout: Captured, stderr: Captured): string => {
  if (stdout.chars === 0 && stderr.chars === 0) return "(no output)"
  if (stderr.chars === 0) return part(stdout)
  if (stdout.chars === 0) return part(stderr)
  return `[stdout]\n${part(stdout)}\n[stderr]\n${part(stderr)}`
}
