/** Why a skill that is there is not removed, changed or trusted. Who judges is `InstalledSkill`. */
import * as Schema from "effect/Schema"

/** The skill is not one of the user's own folder. */
export class NotRemovable extends Schema.TaggedError<NotRemovable>()("NotRemovable", {
  name: Schema.String,
  path: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

/** The skill's text is not the user's to change. */
export class SkillReadOnly extends Schema.TaggedError<SkillReadOnly>()("SkillReadOnly", {
  name: Schema.String,
  path: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

/** Its trust is not a matter of this skill alone, or its files cannot be read. */
export class TrustRefused extends Schema.TaggedError<TrustRefused>()("TrustRefused", {
  name: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}
