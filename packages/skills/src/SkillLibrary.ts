/**
 * The catalogue of skills: load, reconcile with the user's switches, filter by platform and requirements.
 *
 * Every question looks at the disk anew, so a new, edited or removed skill and a switch thrown by another process
 * count at once; unchanged files are not read again (`ManifestCache`). How skills enter the prompt is `SkillPrompt`.
 */
import { Diagnostic, type SkillCard, SkillCatalog, type SkillFolders } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { compare } from "./CodePointOrder.ts"
import type { SkillFileUnwritable } from "./LockedFile.ts"
import { type ShadowedSkill, type Skill, type SkillList, toListed } from "./Skill.ts"
import * as SkillName from "./SkillName.ts"
import * as SkillRequirements from "./SkillRequirements.ts"
import * as SkillScan from "./SkillScan.ts"
import type { SkillLimit, SkillSettings } from "./SkillSettings.ts"
import * as SkillSwitches from "./SkillSwitches.ts"
import * as SkillTrust from "./SkillTrust.ts"
import * as SwitchTable from "./SwitchTable.ts"

export class SkillNotFound extends Schema.TaggedError<SkillNotFound>()("SkillNotFound", {
  name: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

export interface Catalogue {
  /** One a name, sorted by name. */
  readonly skills: ReadonlyArray<Skill>
  readonly shadowed: ReadonlyArray<ShadowedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

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
  }
>()("@cow/skills/SkillLibrary") {
  /** Does nothing before the first question. */
  static readonly layer = (
    settings: SkillSettings
  ): Layer.Layer<SkillLibrary, never, FileSystem.FileSystem | Path.Path | SkillFolders> =>
    Layer.effect(SkillLibrary, make(settings))

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

const byPlace = (left: Diagnostic.Diagnostic, right: Diagnostic.Diagnostic): number =>
  compare(left.path, right.path) || compare(left.message, right.message)

const namesOf = (limit: SkillLimit): ReadonlyArray<string> =>
  limit.flatMap((one) => (typeof one === "string" ? SkillName.normalize(one) : namesOf(one)))

const make = Effect.fnUntraced(function* (settings: SkillSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(settings.cowHome, "skills", "skills_config.json")
  const switches = yield* SkillSwitches.make(file)
  const recorded = Effect.map(switches.read, ({ table }): SwitchTable.SwitchTable => table).pipe(
    // Without the records nothing that needs one is trusted; that they cannot be read is reported below.
    Effect.catch(() => Effect.succeed(new Map()))
  )
  const scan = yield* SkillScan.make(settings, yield* SkillTrust.make, recorded)
  const permitted = settings.permitted ?? (() => Effect.succeed(true))
  const limit = new Set(namesOf(settings.limit ?? []).filter((name) => name !== ""))

  /** A skill of a project that is not trusted leaves no trace in the user's file. */
  const reconciled = (found: SkillScan.Scan) => {
    const scanned = found.skills.flatMap(({ name, source, trusted, manifest: { description, metadata } }) =>
      trusted || source !== "project"
        ? [{ name, description, source, defaultEnabled: metadata.defaultEnabled }]
        : []
    )
    const change = (table: SwitchTable.SwitchTable) => SwitchTable.reconcile(table, scanned, found.wholly)
    return switches.update(change).pipe(
      Effect.catch(({ message }) =>
        switches.read.pipe(
          Effect.map(({ table, diagnostics }) => ({ table: change(table), diagnostics })),
          Effect.catch(() => Effect.succeed({ table: change(new Map()), diagnostics: [] })),
          Effect.map(({ table, diagnostics }) => ({
            table,
            diagnostics: [...diagnostics, Diagnostic.warning(file, message)]
          }))
        )
      )
    )
  }

  const toSkill = Effect.fnUntraced(function* (
    { name, path, baseDir, source, trusted, distrust, installed, manifest }: SkillScan.ScannedSkill,
    table: SwitchTable.SwitchTable,
    machine: SkillRequirements.Machine
  ) {
    const fit = yield* SkillRequirements.check(manifest.metadata, machine)
    const enabled = table.get(name)?.enabled ?? manifest.metadata.defaultEnabled
    return {
      name,
      description: manifest.description,
      source,
      path,
      base_dir: baseDir,
      enabled,
      trusted,
      available: trusted && fit.available,
      missing: fit.missing,
      reason: distrust ?? (!enabled ? "disabled" : fit.reason),
      manifest,
      installed,
      platformFits: fit.platformFits
    } satisfies Skill
  })

  const catalogue = Effect.fn("SkillLibrary.catalogue")(
    function* (workspace: string) {
      const found = yield* scan(workspace)
      const { table, diagnostics } = yield* reconciled(found)
      const machine = yield* SkillRequirements.machine(settings)
      const skills = yield* Effect.forEach(found.skills, (skill) => toSkill(skill, table, machine))
      return {
        skills,
        shadowed: found.shadowed,
        diagnostics: [...found.diagnostics, ...diagnostics].sort(byPlace)
      } satisfies Catalogue
    },
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, path)
  )

  const find = (name: string, workspace: string) =>
    Effect.map(catalogue(workspace), ({ skills }) => {
      const wanted = SkillName.normalize(name)
      return Option.fromNullishOr(skills.find((skill) => skill.name === wanted))
    })

  const shown = Effect.fn("SkillLibrary.shown")(function* (persona: string, workspace: string) {
    const { skills } = yield* catalogue(workspace)
    return yield* Effect.filter(
      skills.filter(
        (skill) =>
          skill.trusted &&
          skill.enabled &&
          skill.platformFits &&
          !skill.manifest.hidden &&
          (limit.size === 0 || limit.has(skill.name))
      ),
      (skill) => permitted(persona, skill)
    )
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
          ...entry,
          name: skill.name,
          description,
          source,
          ...table.get(skill.name),
          enabled
        })
      )
    })

  return SkillLibrary.of({
    catalogue,
    list: Effect.fnUntraced(function* (workspace, persona) {
      const { skills, shadowed, diagnostics } = yield* catalogue(workspace)
      const listed = yield* Effect.forEach(skills, (skill) =>
        persona === undefined || !skill.trusted || !skill.enabled
          ? Effect.succeed(toListed(skill))
          : Effect.map(permitted(persona, skill), (has) => ({
              ...toListed(skill),
              reason: has ? skill.reason : "not_assigned"
            }))
      )
      return { skills: listed, shadowed, diagnostics }
    }),
    find,
    shown,
    enable: turn(true),
    disable: turn(false)
  })
})
