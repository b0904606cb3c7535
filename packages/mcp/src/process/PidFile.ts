/**
 * Remembers in `COW_HOME/run` which process groups this Cow started, so that the next start can end what a killed
 * one left behind. A process is recognised by its id and its start time, never by its id alone.
 *
 * Works where there is a `/proc`; elsewhere nothing is recorded and nothing is ended.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as ProcessGroup from "./ProcessGroup.ts"

const Process = Schema.Struct({ pid: Schema.Number, start: Schema.String })
type Process = typeof Process.Type

const Record = Schema.Struct({
  owner: Process,
  groups: Schema.Array(Schema.Struct({ server: Schema.String, members: Schema.Array(Process) }))
})
const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Record))

export interface PidFile {
  /** Writes the group down by its leader, until the scope closes. */
  readonly record: (pid: number, server: string) => Effect.Effect<void, never, Scope.Scope>
  /** Adds the members that a recorded group has now: its leader may be gone when it is to be ended. */
  readonly recordMembers: (pid: number) => Effect.Effect<void>
  /** Ends what Cows that no longer live have left. Says how many processes. */
  readonly reap: Effect.Effect<number>
}

interface Stat extends Process {
  readonly group: number
}

export const make = (fs: FileSystem.FileSystem, path: Path.Path, folder: string): Effect.Effect<PidFile> =>
  Effect.gen(function* () {
    // `pid (comm) state ppid pgrp session …`; the start time is field 22. `comm` may hold blanks and brackets.
    const statOf = (pid: number | string): Effect.Effect<Stat | undefined> =>
      fs.readFileString(`/proc/${pid}/stat`).pipe(
        Effect.map((text) => {
          const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
          const [state, , group] = fields
          return state === "Z" || state === "X"
            ? undefined
            : { pid: Number(pid), group: Number(group), start: fields[19] ?? "" }
        }),
        Effect.orElseSucceed(() => undefined)
      )
    const isSame = (known: Process) => Effect.map(statOf(known.pid), (now) => now?.start === known.start)
    const membersOf = (group: number) =>
      Effect.gen(function* () {
        const names = yield* fs.readDirectory("/proc").pipe(Effect.orElseSucceed(() => []))
        const stats = yield* Effect.forEach(
          names.filter((name) => /^\d+$/.test(name)),
          statOf
        )
        return stats.flatMap((stat) => (stat?.group === group ? [{ pid: stat.pid, start: stat.start }] : []))
      })

    const owner = yield* statOf(ProcessGroup.ownPid())
    const own = path.join(folder, `mcp-${ProcessGroup.ownPid()}.json`)
    const groups = new Map<number, { readonly server: string; readonly members: ReadonlyArray<Process> }>()
    const oneAtATime = yield* Semaphore.make(1)

    const save = Effect.suspend(() => {
      if (owner === undefined) return Effect.void
      if (groups.size === 0) return Effect.ignore(fs.remove(own, { force: true }))
      const text = JSON.stringify({
        owner: { pid: owner.pid, start: owner.start },
        groups: [...groups.values()]
      })
      return fs
        .makeDirectory(folder, { recursive: true })
        .pipe(
          Effect.andThen(fs.writeFileString(`${own}.tmp`, text, { mode: 0o600 })),
          Effect.andThen(fs.rename(`${own}.tmp`, own))
        )
    }).pipe(
      Effect.catch((error) => Effect.logWarning(`${own} cannot be written`, error)),
      oneAtATime.withPermits(1)
    )

    const record = (pid: number, server: string) =>
      owner === undefined
        ? Effect.void
        : Effect.acquireRelease(
            Effect.gen(function* () {
              const leader = yield* statOf(pid)
              groups.set(pid, { server, members: leader === undefined ? [] : [{ pid, start: leader.start }] })
              yield* save
            }),
            () =>
              Effect.andThen(
                Effect.sync(() => groups.delete(pid)),
                save
              )
          ).pipe(Effect.asVoid)

    const recordMembers = (pid: number) =>
      Effect.gen(function* () {
        if (owner === undefined) return
        const members = yield* membersOf(pid)
        const known = groups.get(pid)
        if (known === undefined || members.length <= known.members.length) return
        groups.set(pid, { ...known, members })
        yield* save
      })

    /** A group is a dead Cow's when its leader, or any member that was written down, still is the same process. */
    const endGroup = (members: ReadonlyArray<Process>) =>
      Effect.gen(function* () {
        const leader = members[0]?.pid
        const left = yield* Effect.filter(members, isSame)
        if (leader === undefined || left.length === 0) return 0
        const stats = yield* Effect.forEach(left, ({ pid }) => statOf(pid))
        const group = stats.find((stat) => stat !== undefined)?.group
        if (group !== undefined && members.some(({ pid }) => pid === group))
          ProcessGroup.signalGroup(group, "SIGKILL")
        for (const { pid } of left) ProcessGroup.signalProcess(pid, "SIGKILL")
        return left.length
      })

    const reapFile = (file: string) =>
      Effect.gen(function* () {
        const found = yield* fs.readFileString(file).pipe(Effect.flatMap(fromJson))
        if (yield* isSame(found.owner)) return 0
        const ended = yield* Effect.forEach(found.groups, ({ members }) => endGroup(members))
        yield* fs.remove(file, { force: true })
        return ended.reduce((sum, count) => sum + count, 0)
      }).pipe(Effect.catch((error) => Effect.as(Effect.logWarning(`${file} cannot be used`, error), 0)))

    const reap = Effect.gen(function* () {
      if (owner === undefined) return 0
      const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
      const files = names
        .filter((name) => /^mcp-\d+\.json$/.test(name))
        .map((name) => path.join(folder, name))
      const counts = yield* Effect.forEach(
        files.filter((file) => file !== own),
        reapFile
      )
      return counts.reduce((sum, count) => sum + count, 0)
    })
    return { record, recordMembers, reap }
  })
