/**
 * The file inside an installed skill's folder that says where it came from. Whoever copies the folder copies it too, so
 * an installed skill stays one that needs trust even where every other record of it is lost (`SkillTrust`).
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

export const fileName = ".cow-install.json"

export const InstallMark = Schema.Struct({
  /** As `InstallSource.format` writes it. */
  source: Schema.String,
  /** Of a repository; null for every other source. */
  commit: Schema.NullOr(Schema.String),
  /** Of the files as they were installed. */
  digest: Schema.String,
  /** ISO 8601, UTC. */
  installed_at: Schema.String
})
export type InstallMark = typeof InstallMark.Type

const Json = Schema.fromJsonString(InstallMark)

export const encode = (mark: InstallMark): string => `${JSON.stringify(mark, null, 2)}\n`

/** None: there is no mark, or none that can be read; its presence alone is told by `SkillDiscovery`. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.option(fs.readFileString(path.join(folder, fileName)))
  return Option.flatMap(text, Schema.decodeUnknownOption(Json))
})
