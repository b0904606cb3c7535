/**
 * Who may use a server: everyone, or exactly these personas. There is no third form, so `*` can never stand
 * beside names. Changing an audience is the policy package's.
 */
export type Audience =
  | { readonly _tag: "Everyone" }
  | { readonly _tag: "Only"; readonly personas: ReadonlySet<string> }

export const everyone: Audience = { _tag: "Everyone" }

export const only = (personas: Iterable<string>): Audience => ({
  _tag: "Only",
  personas: new Set([...personas].map((id) => id.trim()).filter((id) => id !== "" && id !== "*"))
})

export const includes = (audience: Audience, persona: string): boolean =>
  audience._tag === "Everyone" || audience.personas.has(persona)

/** As it is written in `allowed_persona_ids`: `["*"]`, or sorted names. */
export const toIds = (audience: Audience): ReadonlyArray<string> =>
  audience._tag === "Everyone" ? ["*"] : [...audience.personas].sort()

/** From `allowed_persona_ids`. A `*` among the names makes it everyone. */
export const fromIds = (ids: Iterable<string>): Audience => {
  const list = [...ids].map((id) => id.trim())
  return list.includes("*") ? everyone : only(list)
}
