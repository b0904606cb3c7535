/**
 * Whether the text of an installed skill may reach a model: only while its files are those that a person trusted.
 *
 * Owns the judgement and the trust record inside a switch. Which skills are installed ones is told by their mark
 * (`InstallMark`); project folders are trusted as a whole, elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SkillDisk } from "../discovery/SkillDisk.ts"
import * as SkillDigest from "../install/package/SkillDigest.ts"
import type { Switch, SwitchTable } from "../switches/SwitchTable.ts"

export const TrustRecord = Schema.Struct({
  digest: Schema.String,
  /** ISO 8601, UTC. */
  at: Schema.String
})
export type TrustRecord = typeof TrustRecord.Type

/** Why a skill is not trusted; null where it is. */
export type Distrust = "untrusted" | "changed_since_trust" | null

const isRecord = Schema.is(TrustRecord)

export const recordOf = (table: SwitchTable, name: string): TrustRecord | undefined => {
  const trust = table.get(name)?.trust
  return isRecord(trust) ? trust : undefined
}

export const withRecord = (entry: Switch, { at, digest }: TrustRecord): Switch => ({
  ...entry,
  trust: { digest, at }
})

export const make = (disk: SkillDisk) =>
  Effect.map(SkillDigest.make(disk), (digestOf) => ({
    digestOf,
    /** @param folder of an installed skill */
    judge: (folder: string, record: TrustRecord | undefined): Effect.Effect<Distrust> =>
      record === undefined
        ? Effect.succeed("untrusted")
        : digestOf(folder).pipe(
            Effect.map((digest) => (digest === record.digest ? null : ("changed_since_trust" as const))),
            // What has no digest any more is not what was trusted.
            Effect.catchTag("DigestImpossible", () => Effect.succeed("changed_since_trust" as const))
          )
  }))
