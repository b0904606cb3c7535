/**
 * How the audience of a server changes when a persona, or everyone, is switched on or off. Pure.
 *
 * Owns the next audience and the policy rows that follow from it. Where an audience is written (`mcp.json`) is the
 * mcp package's; what a row means is `PolicyRules`.
 */
import { Audience } from "@cow/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type PolicyRow, serverCapability } from "./PolicyRules.ts"

/** A grant names a persona that does not exist. The audience stays as it was. */
export class UnknownPersona extends Schema.TaggedError<UnknownPersona>()("UnknownPersona", {
  persona: Schema.String
}) {}

/**
 * The audience after one switch, as `allowed_persona_ids` writes it: `["*"]`, or sorted names.
 *
 * `persona`: an id, or `*` for everyone. `all`: every persona there is; taking one out of everyone leaves these
 * by name, so that a persona made later is not in. A name that is in `current` can always be taken out.
 */
export const nextAllowed = (
  current: ReadonlyArray<string>,
  persona: string,
  assigned: boolean,
  all: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, UnknownPersona> =>
  Result.map(next(Audience.fromIds(current), persona.trim(), assigned, all), Audience.toIds)

const next = (
  current: Audience.Audience,
  persona: string,
  assigned: boolean,
  all: ReadonlyArray<string>
): Result.Result<Audience.Audience, UnknownPersona> => {
  if (persona === "*") return Result.succeed(assigned ? Audience.everyone : Audience.only([]))
  const members = current._tag === "Everyone" ? all : [...current.personas]
  const known = all.includes(persona) || (!assigned && members.includes(persona))
  if (!known || persona === "") return Result.fail(new UnknownPersona({ persona }))
  if (assigned)
    return Result.succeed(current._tag === "Everyone" ? current : Audience.only([...members, persona]))
  return Result.succeed(Audience.only(members.filter((id) => id !== persona)))
}

/**
 * The rows with those of `mcp/<server>/*` put right: the audience is the truth, these rows follow from it. Rows
 * of other servers and of single tools stay.
 */
export const sync = (
  server: string,
  audience: Audience.Audience,
  rows: ReadonlyArray<PolicyRow>
): ReadonlyArray<PolicyRow> => {
  const capability = serverCapability(server)
  const others = rows.filter((row) => row.capability !== capability)
  return [...others, ...Audience.toIds(audience).map((persona) => ({ persona, capability, allowed: true }))]
}
