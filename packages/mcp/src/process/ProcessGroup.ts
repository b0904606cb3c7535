/**
 * This is the layer for `node:child_process`, for signals and, over `node:fs`, the process table: a program in its own
 * process group, which ends as a whole when the scope closes (stdin closed, TERM after the program's grace, KILL after
 * that), with what has left it (`StrayProcesses`).
 *
 * What goes over its pipes is `StdioTransport`; what a killed Cow left behind is `PidFile`.
 */
import { type ChildProcess, spawn as spawnChild } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as StrayProcesses from "./StrayProcesses.ts"

export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  /** One line that names the program or the folder. */
  message: Schema.String
}) {}

export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Must exist. */
  readonly cwd: string
  /** How long it may take to leave by itself once its input has ended. */
  readonly stopGraceMillis: number
}

export interface ProcessGroup {
  /** Also the id of the group. */
  readonly pid: number
  readonly onStdout: (listener: (chunk: Uint8Array) => void) => void
  /** Reads no more of it: the server may fill the pipe and then waits. */
  readonly stopReading: () => void
  readonly onStderr: (listener: (chunk: Uint8Array) => void) => void
  /** The other side closed its standard output. */
  readonly onStdoutEnd: (listener: () => void) => void
  /** `exited with code 7`, `was ended by SIGKILL`. Called at once when it has ended already. */
  readonly onExit: (listener: (how: string) => void) => void
  /** Resolves when the pipe has taken it. Rejects when too much waits already, or nobody reads any more. */
  readonly write: (text: string) => Promise<void>
}

/** What a server has not read yet is held here; beyond this nothing more is taken. */
const maxUnreadChars = 64 * 1024 * 1024

type Signal = "SIGTERM" | "SIGKILL"

/** False when there is nobody to signal. */
export const signalGroup = (pid: number, signal: Signal | 0): boolean => {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    // EPERM: it lives, as somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** False when there is no such process. */
export const signalProcess = (pid: number, signal: Signal | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Id of this very process. */
export const ownPid = (): number => process.pid

/**
 * False when the group has no member that could still do something. The dead that nobody collects count as gone;
 * without a `/proc` they cannot be told apart.
 */
const isGroupAlive = (group: number): boolean => {
  if (!signalGroup(group, 0)) return false
  try {
    const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return names.length === 0 || names.some((name) => isLivingMember(name, group))
  } catch {
    // No process table to look at.
    return true
  }
}

const isLivingMember = (name: string, group: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8")
    const [state, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(own) === group && state !== "Z" && state !== "X"
  } catch {
    // It has ended since the table was read.
    return false
  }
}

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** From SIGTERM to SIGKILL: a server may have something to save. */
const termGraceMillis = 1200
/** What the system needs to take away what was killed. */
const killGraceMillis = 1000

/** Until it has ended, at most so long; an exit is seen at once. */
const exitOf = (child: ChildProcess, millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (isGone(child)) return resume(Effect.void)
    const done = () => {
      clearTimeout(timer)
      child.off("exit", done)
      resume(Effect.void)
    }
    const timer = setTimeout(done, millis)
    child.once("exit", done)
  })

const until = (done: () => boolean, millis: number): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const end = performance.now() + millis
    while (!done()) {
      if (performance.now() >= end) return false
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return true
  })

/** What has left the group. */
const endStrays = (mark: StrayProcesses.Mark): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const strays = mark.living()
      if (strays.length === 0) return
      for (const pid of strays) signalProcess(pid, signal)
      yield* until(() => mark.living().length === 0, 300)
    }
  })

/** Ends the leader politely, then whatever is left of its group and outside of it. */
const end = (
  child: ChildProcess,
  pid: number,
  mark: StrayProcesses.Mark,
  graceMillis: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    child.stdin?.end()
    yield* exitOf(child, graceMillis)
    if (isGroupAlive(pid)) {
      signalGroup(pid, "SIGTERM")
      yield* exitOf(child, termGraceMillis)
      if (!(yield* until(() => isGone(child) && !isGroupAlive(pid), isGone(child) ? termGraceMillis : 0))) {
        signalGroup(pid, "SIGKILL")
        yield* until(() => isGone(child) && !isGroupAlive(pid), killGraceMillis)
      }
    }
    yield* endStrays(mark)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    child.removeAllListeners()
  })

const describeExit = (code: number | null, signal: string | null): string =>
  signal === null ? `exited with code ${code}` : `was ended by ${signal}`

const failure = (program: Program, error: NodeJS.ErrnoException): SpawnFailed => {
  const reasons: Record<string, string> = {
    ENOENT: `the program "${program.command}" was not found`,
    EACCES: `the program "${program.command}" may not be executed`
  }
  return new SpawnFailed({
    message: reasons[error.code ?? ""] ?? `the program "${program.command}" did not start: ${error.message}`
  })
}

const start = (program: Program): Effect.Effect<ChildProcess, SpawnFailed> =>
  Effect.callback<ChildProcess, SpawnFailed>((resume) => {
    try {
      const child = spawnChild(program.command, [...program.args], {
        cwd: program.cwd,
        env: { ...program.env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        windowsHide: true
      })
      child.once("error", (error) => resume(Effect.fail(failure(program, error))))
      child.once("spawn", () => resume(Effect.succeed(child)))
    } catch (error) {
      resume(Effect.fail(failure(program, error as NodeJS.ErrnoException)))
    }
  })

const make = (child: ChildProcess, pid: number): ProcessGroup => {
  // Without a listener a broken pipe or a late error would end Cow itself; the exit tells the reason.
  const ignore = () => {}
  /** Characters that wait in the pipe; counted here, since `writableLength` is always 0 in Bun. */
  let unread = 0
  child.on("error", ignore)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", ignore)
  return {
    pid,
    onStdout: (listener) => void child.stdout?.on("data", listener),
    stopReading: () => void child.stdout?.removeAllListeners("data").pause(),
    onStderr: (listener) => void child.stderr?.on("data", listener),
    onStdoutEnd: (listener) => void child.stdout?.once("close", listener),
    onExit: (listener) => {
      if (isGone(child)) listener(describeExit(child.exitCode, child.signalCode))
      else child.once("exit", (code, signal) => listener(describeExit(code, signal)))
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const stdin = child.stdin
        if (stdin === null || !stdin.writable) reject(new Error("the server's standard input is closed"))
        else if (unread > maxUnreadChars) reject(new Error("the server does not read what it is sent"))
        else {
          unread += text.length
          stdin.write(text, (error) => {
            unread -= text.length
            error ? reject(error) : resolve()
          })
        }
      })
  }
}

/** Starts the program. Fails with `SpawnFailed` when it cannot be started. */
export const spawn = (program: Program): Effect.Effect<ProcessGroup, SpawnFailed, Scope.Scope> =>
  Effect.suspend(() => {
    const mark = StrayProcesses.make()
    const marked = { ...program, env: { ...program.env, ...mark.env } }
    return Effect.acquireRelease(start(marked), (child) =>
      end(child, child.pid as number, mark, program.stopGraceMillis)
    ).pipe(Effect.map((child) => make(child, child.pid as number)))
  })
