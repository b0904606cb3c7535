/**
 * This is the layer for `node:fs` where it shows the environments of processes: what a server has started and taken out of its
 * process group, such as a daemon, is found by a mark that every process inherits. Without a `/proc`, or where a process
 * has cleared its environment, nothing is found.
 *
 * Ending the group itself is `ProcessGroup`.
 */
import { readdirSync, readFileSync } from "node:fs"

const variable = "COW_SERVER_MARK"

export interface Mark {
  readonly env: Readonly<Record<string, string>>
  /** Ids of the processes that live under it now. */
  readonly living: () => ReadonlyArray<number>
}

const isUnder = (pid: string, entry: string): boolean => {
  try {
    // The dead have no environment any more.
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${entry}\0`)
  } catch {
    // It has ended, or it is somebody else's.
    return false
  }
}

/** A new one for each start of a server. */
export const make = (): Mark => {
  const value = crypto.randomUUID()
  return {
    env: { [variable]: value },
    living: () => {
      try {
        const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
        return pids.filter((pid) => isUnder(pid, `${variable}=${value}`)).map(Number)
      } catch {
        // No process table to look at.
        return []
      }
    }
  }
}
