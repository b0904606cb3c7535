/**
 * This is the layer for bun:ffi and node:fs: Linux's own record of changes (inotify), asked by one call that does not
 * wait. The system writes an event down before the call that made the change returns, so a change that is over is never
 * missed, and to hear that there is none takes microseconds, however many folders are watched.
 *
 * What the record cannot tell is handed back to be looked at as before: links, files with a second name, what does not
 * exist yet, and disks that other machines write to. Where there is no such record at all, nothing is watched.
 */
import { lstatSync, statfsSync } from "node:fs"
import path from "node:path"
import * as Effect from "effect/Effect"
import { isDirectory, isFile } from "./FileStamp.ts"
import type { DiskWatch } from "./SkillDisk.ts"

/** modify, attrib, close_write, moved_from, moved_to, create, delete, delete_self, move_self; folders only */
const mask = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x0100_0000
/** Does not block, and no program that is started inherits it. */
const flags = 0o4000 | 0o2000000
/** Disks that only this machine writes to: ext, XFS, Btrfs, ZFS, F2FS, tmpfs, overlay. */
const local = new Set([0xef53, 0x5846_5342, 0x9123_683e, 0x2fc1_2fc1, 0xf2f5_2010, 0x0102_1994, 0x794c_7630])
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]
/** A folder for each skill, and some; far below what a user may watch in all. */
const maxFolders = 4_096
/** One each is taken from the user's 128. */
const maxWatches = 8
/** `POLLIN` */
const readable = 1

const load = async () => {
  const { dlopen, ptr } = await import("bun:ffi")
  const symbols = {
    inotify_init1: { args: ["i32"], returns: "i32" },
    inotify_add_watch: { args: ["i32", "ptr", "u32"], returns: "i32" },
    poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
    read: { args: ["i32", "ptr", "u64"], returns: "i32" },
    close: { args: ["i32"], returns: "i32" }
  } as const
  for (const library of libraries)
    try {
      return { ptr, system: dlopen(library, symbols).symbols }
    } catch {
      // Another system's C library.
    }
  return undefined
}

interface Sorted {
  readonly folders: ReadonlySet<string>
  readonly loose: ReadonlyArray<string>
}

const sorted = (paths: ReadonlyArray<string>): Sorted => {
  const folders = new Set<string>()
  const loose: Array<string> = []
  const disks = new Map<number, boolean>()
  const isLocal = (place: string, dev: number): boolean => {
    const known = disks.get(dev)
    if (known !== undefined) return known
    const answer = local.has(statfsSync(place).type)
    disks.set(dev, answer)
    return answer
  }
  for (const place of paths)
    try {
      const found = lstatSync(place)
      const sole = isDirectory(found) || (isFile(found) && found.nlink === 1)
      if (sole && isLocal(place, found.dev)) folders.add(isDirectory(found) ? place : path.dirname(place))
      else loose.push(place)
    } catch {
      // It is not there, or may not be looked at.
      loose.push(place)
    }
  return { folders, loose }
}

type Library = NonNullable<Awaited<ReturnType<typeof load>>>

const begin = ({ ptr, system }: Library, { folders, loose }: Sorted): DiskWatch | undefined => {
  const instance = system.inotify_init1(flags)
  if (instance < 0) return undefined
  for (const folder of folders)
    if (system.inotify_add_watch(instance, ptr(Buffer.from(`${folder}\0`)), mask) < 0) {
      system.close(instance)
      return undefined
    }
  // `struct pollfd`: the number, what is asked for, what is answered.
  const asked = new Int32Array([instance, readable])
  const events = new Uint8Array(64 * 1024)
  let open = true
  return {
    loose,
    isQuiet: () => {
      if (!open || system.poll(ptr(asked), 1, 0) === 0) return open
      // What happened does not matter: everything is looked at then.
      while (system.read(instance, ptr(events), events.length) > 0);
      return false
    },
    close: () => {
      if (open) system.close(instance)
      open = false
    }
  }
}

/** Gives no watch where it cannot be had; that is no failure. */
export const make = () => {
  let library: Promise<Library | undefined> | undefined
  let watches = 0
  /** The system refused one: the next would cost as much and be refused as well. */
  let refused = process.platform !== "linux"
  return (paths: ReadonlyArray<string>): Effect.Effect<DiskWatch | undefined> =>
    Effect.suspend(() => {
      if (refused || watches >= maxWatches) return Effect.succeed(undefined)
      library ??= load().catch(() => undefined)
      return Effect.map(
        Effect.promise(() => library as Promise<Library | undefined>),
        (loaded) => {
          const wanted = sorted(paths)
          if (wanted.folders.size > maxFolders) return undefined
          const watch = loaded === undefined ? undefined : begin(loaded, wanted)
          refused = watch === undefined
          if (watch === undefined) return undefined
          watches++
          return {
            ...watch,
            close: () => {
              watch.close()
              watches--
            }
          }
        }
      )
    })
}
