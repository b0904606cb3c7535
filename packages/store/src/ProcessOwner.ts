/**
 * This process as the owner of runs, and whether another owner's process is still there. This is the layer for
 * node:fs, node:os and the process table.
 *
 * A process is told from a later one of the same pid by its start time, and a machine from itself after a restart,
 * and from a container that counts its own processes, by what Linux says of both.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { RunOwner } from "@cow/core"
import * as Layer from "effect/Layer"

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

const attempt = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ""
  }
}

const machine = (): string =>
  [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    attempt(() => readlinkSync("/proc/self/ns/pid"))
  ].join(" ")

export const self = (): RunOwner.RunOwner => ({
  machine: machine(),
  pid: process.pid,
  startedAt: startTime(process.pid) ?? "",
  token: crypto.randomUUID()
})

/** True when the owner was a process of this machine that has ended. Of another machine's nothing is known. */
export const isGone = (owner: RunOwner.RunOwner): boolean => {
  if (owner.pid < 1 || owner.machine !== machine()) return false
  const now = startTime(owner.pid)
  return now === undefined || !(now === owner.startedAt || now === "" || owner.startedAt === "")
}

export const layer = Layer.sync(RunOwner.current, self)
