/**
 * Which skills of a project are trusted, asked at every step: the answer of policy's `TrustStore`, kept while neither
 * the files that it is about nor the records of trust have changed. Digests of files are taken only when one of them moved.
 */
import { TrustRecords } from "@cow/core"
import { isCovered, type Trust, TrustStore } from "@cow/policy"
import { type FileStamp, isDirectory, isSettled, type ProjectTrust, SkillDiskNode } from "@cow/skills"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** What `TrustStore` looks at, below the project folder. */
const places = [".mcp.json", ".cow/config.json", ".cow/skills", ".agents/skills", ".claude/skills"]

interface Known {
  readonly paths: ReadonlyArray<string>
  readonly stamps: ReadonlyArray<FileStamp | undefined>
  /** Of the records; null: they were not asked. */
  readonly revision: string | null
  readonly trusted: ProjectTrust
}

const maxKnown = 16

const trustedOf = (trust: Trust): ProjectTrust => {
  switch (trust._tag) {
    case "Empty":
    case "Untrusted":
      return false
    case "Trusted":
    case "Changed":
      return new Set(trust.items.filter((item) => isCovered(trust, item)))
  }
}

export const make = Effect.gen(function* () {
  const store = yield* TrustStore
  const { revision } = yield* TrustRecords
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const disk = SkillDiskNode.open(fs)
  const known = new Map<string, Known>()

  /** The places and all below them, each stamped before it is listed; undefined where a link leads elsewhere. */
  const look = Effect.fnUntraced(function* (workspace: string) {
    const paths = places.map((place) => path.join(workspace, place))
    const stamps: Array<FileStamp | undefined> = []
    for (let at = 0; at < paths.length; at++) {
      const one = paths[at] as string
      const [stamp] = yield* disk.stamps([one])
      stamps.push(stamp)
      if (stamp === undefined || !isDirectory(stamp)) continue
      const entries = yield* disk.entries(one)
      if (entries.some(({ type }) => type !== "File" && type !== "Directory")) return undefined
      for (const { name } of entries) paths.push(path.join(one, name))
    }
    return { paths, stamps }
  })

  const fresh = Effect.fnUntraced(function* (workspace: string) {
    const now = yield* Clock.currentTimeMillis
    known.delete(workspace)
    const seen = yield* Effect.orElseSucceed(look(workspace), () => undefined)
    // A project that brings nothing never opens the database.
    const isEmpty = seen?.stamps.every((stamp) => stamp === undefined) === true
    const asked = isEmpty ? null : yield* revision
    const trusted = trustedOf(yield* store.state(workspace))
    if (seen === undefined || !seen.stamps.every((stamp) => isSettled(stamp, now))) return trusted
    if (known.size >= maxKnown) known.clear()
    known.set(workspace, { ...seen, revision: asked, trusted })
    return trusted
  })

  return (workspace: string): Effect.Effect<ProjectTrust> =>
    Effect.gen(function* () {
      const before = known.get(workspace)
      if (before === undefined || !(yield* disk.isUnchanged(before.paths, before.stamps)))
        return yield* fresh(workspace)
      if (before.revision !== null && before.revision !== (yield* revision)) return yield* fresh(workspace)
      return before.trusted
    }).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`the project counts as untrusted: ${error.message}`), false)
      )
    )
})
