/**
 * `skills-lock.json` as a value: for each installed skill where it came from and what exactly it was. Pure; reading and
 * writing the file is `SkillLockFile`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { nameProblems } from "../author/NameRules.ts"
import { sortBy } from "../discovery/CodePointOrder.ts"

export const LockEntry = Schema.Struct({
  /** As `InstallSource.format` writes it, or `upload:NAME`. */
  source: Schema.String,
  commit: Schema.NullOr(Schema.String),
  digest: Schema.String
})
export type LockEntry = typeof LockEntry.Type

/** By the skill's name. */
export type SkillLock = ReadonlyMap<string, LockEntry>

const Document = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Literal(1), skills: Schema.Record(Schema.String, LockEntry) })
)
const decodeDocument = Schema.decodeUnknownResult(Document)

export const empty: SkillLock = new Map()

/** Fails where the text is no lock of this version. */
export const decode = (text: string): Result.Result<SkillLock, { readonly message: string }> =>
  text.trim() === ""
    ? Result.succeed(empty)
    : decodeDocument(text.replace(/^\uFEFF/, "")).pipe(
        Result.mapError(({ message }) => ({ message: message.split("\n")[0] ?? "" })),
        Result.flatMap(({ skills }) => {
          const names = Object.keys(skills)
          const odd = names.find((name) => nameProblems(name).length > 0)
          return odd === undefined
            ? Result.succeed(new Map(Object.entries(skills)))
            : Result.fail({ message: `${JSON.stringify(odd)} is no name of an installed skill` })
        })
      )

export const encode = (lock: SkillLock): string =>
  `${JSON.stringify({ version: 1, skills: Object.fromEntries(sortBy(lock, ([name]) => name)) }, null, 2)}\n`
