/**
 * Which process works on a run, written as `pid start-time`: the start time tells it from a later process that
 * was given the same pid. This is the layer for node:fs and the process table.
 */
import { readFileSync } from "node:fs"

/** In clock ticks since the machine started; `""` where there is no `/proc`. Undefined: no such process. */
const startTime = (pid: number): string | undefined => {
  try {
    // The name in parentheses may hold anything; start time is the 20th field after it (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // Dead, and only waiting for its parent.
    return fields[0] === "Z" ? undefined : fields[19]
  } catch {
    return signalable(pid) ? "" : undefined
  }
}

const signalable = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // Not allowed to signal it: it is alive, and someone else's.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

export const self = (): string => `${process.pid} ${startTime(process.pid)}`

export const isAlive = (owner: string): boolean => {
  const [pid, started] = owner.split(" ")
  if (!/^[1-9]\d*$/.test(pid ?? "")) return false
  const now = startTime(Number(pid))
  return now !== undefined && (now === started || now === "" || started === "")
}
