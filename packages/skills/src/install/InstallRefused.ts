/** Why a package was not installed, as a code word for programs and a line for people. Nothing was changed then. */
import * as Schema from "effect/Schema"

export const InstallCode = Schema.Literals([
  "zip_too_large",
  "zip_too_many_entries",
  "zip_unsafe_path",
  "zip_link",
  "zip_encrypted",
  "not_a_zip",
  "bad_source",
  "no_skill",
  "invalid_skill",
  "skill_exists",
  "not_in_lock",
  "digest_mismatch",
  "changed_locally",
  "unwritable"
])
export type InstallCode = typeof InstallCode.Type

export class InstallRefused extends Schema.TaggedError<InstallRefused>()("InstallRefused", {
  code: InstallCode,
  /** One line for people, without the code. */
  message: Schema.String
}) {}

export const refuse = (code: InstallCode, message: string): InstallRefused =>
  new InstallRefused({ code, message })
