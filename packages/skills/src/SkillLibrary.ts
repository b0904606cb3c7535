/**
 * The service of skills: what there is for a workspace, what a persona is shown, and the user's switches. How the answer
 * is made and kept is `SkillCatalogue`; how skills enter the prompt, `SkillPrompt`.
 */
import { type SkillCard, SkillCatalog, type SkillFolders, ToolManager } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Skill, type SkillList, toListed } from "./manifest/Skill.ts"
import * as SkillName from "./manifest/SkillName.ts"
import type { SkillLimit, SkillSettings } from "./manifest/SkillSettings.ts"
import type { Catalogue } from "./SkillCatalogue.ts"
import * as SkillCatalogue from "./SkillCatalogue.ts"
import type { SkillFileUnwritable } from "./switches/LockedFile.ts"

export class SkillNotFound extends Schema.TaggedError<SkillNotFound>()("SkillNotFound", {
  name: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

type SwitchError = SkillNotFound | SkillFileUnwritable

export class SkillLibrary extends Context.Service<
  SkillLibrary,
  {
    /** Everything that was found for a workspace, what does not count included. */
    readonly catalogue: (workspace: string) => Effect.Effect<Catalogue>
    /** The document of `cow skill list --json`; with a persona, a skill it has not is `not_assigned`. */
    readonly list: (workspace: string, persona?: string) => Effect.Effect<SkillList>
    /** By its name in any Unicode form. */
    readonly find: (name: string, workspace: string) => Effect.Effect<Option.Option<Skill>>
    /** Those that stand in the persona's prompt, available or lacking something, sorted by name. */
    readonly shown: (persona: string, workspace: string) => Effect.Effect<ReadonlyArray<Skill>>
    readonly enable: (name: string, workspace: string) => Effect.Effect<void, SwitchError>
    readonly disable: (name: string, workspace: string) => Effect.Effect<void, SwitchError>
    /** From now on and until the scope closes, a skill's `tool_names` are looked up among these. */
    readonly useTools: (names: Effect.Effect<ReadonlySet<string>>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@cow/skills/SkillLibrary") {
  /** Does nothing before the first question. */
  static readonly layer = (
    settings: SkillSettings
  ): Layer.Layer<SkillLibrary, never, FileSystem.FileSystem | Path.Path | SkillFolders> =>
    Layer.effect(SkillLibrary, make(settings))

  /** A skill's `tool_names` are tools of core's table, as it is at the moment of the question. */
  static readonly layerTools: Layer.Layer<never, never, SkillLibrary | ToolManager> = Layer.effectDiscard(
    Effect.gen(function* () {
      const { snapshot } = yield* ToolManager
      const library = yield* SkillLibrary
      yield* library.useTools(Effect.map(snapshot, ({ byName }) => new Set(byName.keys())))
    })
  )

  static readonly layerCatalog: Layer.Layer<SkillCatalog, never, SkillLibrary> = Layer.effect(
    SkillCatalog,
    Effect.map(SkillLibrary, (library) =>
      SkillCatalog.of({
        cards: (persona, workspace) =>
          Effect.map(library.shown(persona, workspace), (skills) => skills.map(toCard))
      })
    )
  )
}

const toCard = ({ name, description, path, available }: Skill): SkillCard => ({
  name,
  description,
  path,
  available
})

/** Personas and workspaces of which the last answer is kept. */
const maxLastShown = 64

const namesOf = (limit: SkillLimit): ReadonlyArray<string> =>
  limit.flatMap((one) => (typeof one === "string" ? SkillName.normalize(one) : namesOf(one)))

const make = Effect.fnUntraced(function* (settings: SkillSettings) {
  const { catalogue, switches, useTools } = yield* SkillCatalogue.make(settings)
  const permitted = settings.permitted ?? (() => Effect.succeed(() => true))
  const limit = new Set(namesOf(settings.limit ?? []).filter((name) => name !== ""))

  const find = (name: string, workspace: string) =>
    Effect.map(catalogue(workspace), ({ skills }) => {
      const wanted = SkillName.normalize(name)
      return Option.fromNullishOr(skills.find((skill) => skill.name === wanted))
    })

  /** By persona and workspace: the same skills are the same value, so that nothing is rendered again. */
  const lastShown = new Map<string, ReadonlyArray<Skill>>()
  const shownOnes = new WeakMap<Catalogue, ReadonlyArray<Skill>>()
  const shown = Effect.fn("SkillLibrary.shown")(function* (persona: string, workspace: string) {
    const now = yield* catalogue(workspace)
    const before = shownOnes.get(now)
    const skills =
      before ??
      now.skills.filter(
        (skill) =>
          skill.trusted &&
          skill.enabled &&
          skill.platformFits &&
          !skill.manifest.hidden &&
          (limit.size === 0 || limit.has(skill.name))
      )
    if (before === undefined) shownOnes.set(now, skills)
    if (settings.permitted === undefined) return skills
    const mine = skills.filter(yield* permitted(persona))
    if (mine.length === skills.length) return skills
    const key = JSON.stringify([persona, workspace])
    const last = lastShown.get(key)
    if (last?.length === mine.length && mine.every((skill, at) => skill === last[at])) return last
    if (lastShown.size >= maxLastShown) lastShown.clear()
    lastShown.set(key, mine)
    return mine
  })

  const turn = (enabled: boolean) =>
    Effect.fn("SkillLibrary.switch")(function* (name: string, workspace: string) {
      const skill = Option.getOrUndefined(yield* find(name, workspace))
      if (skill === undefined)
        return yield* new SkillNotFound({ name, message: `there is no skill ${JSON.stringify(name)}` })
      const { source, description } = skill
      const entry = { enabled, category: "skill" }
      yield* switches.update((table) =>
        new Map(table).set(skill.name, {
          name: skill.name,
          description,
          source,
          ...entry,
          ...table.get(skill.name),
          enabled
        })
      )
    })

  return SkillLibrary.of({
    catalogue,
    list: Effect.fnUntraced(function* (workspace, persona) {
      const { skills, shadowed, diagnostics } = yield* catalogue(workspace)
      const has = persona === undefined ? () => true : yield* permitted(persona)
      const listed = skills.map((skill) => ({
        ...toListed(skill),
        reason: !skill.trusted || !skill.enabled || has(skill) ? skill.reason : "not_assigned"
      }))
      return { skills: listed, shadowed, diagnostics }
    }),
    find,
    shown,
    enable: turn(true),
    disable: turn(false),
    useTools
  })
})
