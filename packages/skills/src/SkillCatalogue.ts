/**
 * The catalogue of skills: load, reconcile with the user's switches, filter by platform and requirements.
 *
 * Every question compares the disk with what was seen last (`SeenDisk`), so a new, edited or removed skill, a switch
 * thrown by another process, a program or a tool that came counts at once; while nothing changed the answer is the very
 * same value. Questions and switches of people are `SkillLibrary`.
 */
import { Diagnostic } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import * as SkillTrust from "./access/SkillTrust.ts"
import { compare } from "./discovery/CodePointOrder.ts"
import * as FileStamp from "./discovery/FileStamp.ts"
import * as SkillDisk from "./discovery/SkillDisk.ts"
import * as SkillScan from "./discovery/SkillScan.ts"
import type { ShadowedSkill, Skill } from "./manifest/Skill.ts"
import * as SkillRequirements from "./manifest/SkillRequirements.ts"
import type { SkillSettings } from "./manifest/SkillSettings.ts"
import * as SkillSwitches from "./switches/SkillSwitches.ts"
import * as SwitchTable from "./switches/SwitchTable.ts"

export interface Catalogue {
  /** One a name, sorted by name. */
  readonly skills: ReadonlyArray<Skill>
  readonly shadowed: ReadonlyArray<ShadowedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** Workspaces of which the last answer is kept. */
const maxKnown = 16

/** What skills ask the machine for, each name once. */
interface Wanted {
  readonly programs: ReadonlyArray<string>
  readonly variables: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
}

/** The last answer for a workspace, and all that it was made of. */
interface Known extends SkillSwitches.ReadSwitches {
  readonly found: SkillScan.Scan
  readonly stamp: FileStamp.FileStamp | undefined
  readonly settled: boolean
  readonly wanted: Wanted
  readonly machineState: string
  readonly catalogue: Catalogue
}

const wantedBy = ({ skills }: SkillScan.Scan): Wanted => {
  const requires = skills.map(({ manifest }) => manifest.metadata.requires)
  return {
    programs: [...new Set(requires.flatMap(({ anyBins, bins }) => [...bins, ...anyBins]))],
    variables: [...new Set(requires.flatMap(({ anyEnv, env }) => [...env, ...anyEnv]))],
    tools: [...new Set(skills.flatMap(({ manifest }) => manifest.toolNames))]
  }
}

/** Two machines of one state answer every question of these skills alike. */
const stateOf = (machine: SkillRequirements.Machine, wanted: Wanted): string =>
  [
    wanted.programs.map(machine.hasProgram),
    wanted.variables.map((name) => (machine.env(name) ?? "").trim() !== ""),
    wanted.tools.map(machine.hasTool)
  ].join("|")

const byPlace = (left: Diagnostic.Diagnostic, right: Diagnostic.Diagnostic): number =>
  compare(left.path, right.path) || compare(left.message, right.message)

export const make = Effect.fnUntraced(function* (settings: SkillSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(settings.cowHome, "skills", "skills_config.json")
  const switches = yield* SkillSwitches.make(file)
  const recorded = Effect.map(switches.read, ({ table }): SwitchTable.SwitchTable => table).pipe(
    // Without the records nothing that needs one is trusted; that they cannot be read is reported below.
    Effect.catch(() => Effect.succeed(new Map()))
  )
  const disk = (settings.openDisk ?? SkillDisk.fromFileSystem)(fs)
  const scan = yield* SkillScan.make(settings, disk, yield* SkillTrust.make(disk), recorded)

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

  const toSkill = (
    { name, path, baseDir, source, trusted, distrust, installed, manifest }: SkillScan.ScannedSkill,
    table: SwitchTable.SwitchTable,
    machine: SkillRequirements.Machine
  ): Skill => {
    const fit = SkillRequirements.check(manifest.metadata, manifest.toolNames, machine)
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
    }
  }

  let tools: Effect.Effect<ReadonlySet<string>> = Effect.succeed(new Set(settings.toolNames ?? []))
  const useTools = (names: Effect.Effect<ReadonlySet<string>>): Effect.Effect<void, never, Scope.Scope> =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => {
          const before = tools
          tools = names
          return before
        }),
        (before) =>
          Effect.sync(() => {
            tools = before
          })
      )
    )

  const known = new Map<string, Known>()

  /** The switches after this scan; read again only when the file or the scan is another one. */
  const switched = Effect.fnUntraced(function* (found: SkillScan.Scan, before: Known | undefined) {
    const now = yield* Clock.currentTimeMillis
    const [stamp] = yield* disk.stamps([file])
    if (before?.found === found && before.settled && FileStamp.same(stamp, before.stamp)) return before
    return { ...(yield* reconciled(found)), found, stamp, settled: FileStamp.isSettled(stamp, now) }
  })

  const catalogue = Effect.fn("SkillLibrary.catalogue")(
    function* (workspace: string) {
      const found = yield* scan(workspace)
      const before = known.get(workspace)
      const state = yield* switched(found, before)
      const wanted = before?.found === found ? before.wanted : wantedBy(found)
      const machine = yield* SkillRequirements.machine(settings, disk, wanted.programs, yield* tools)
      const machineState = stateOf(machine, wanted)
      if (before === state && before.machineState === machineState) return before.catalogue
      const catalogue: Catalogue = {
        skills: found.skills.map((skill) => toSkill(skill, state.table, machine)),
        shadowed: found.shadowed,
        diagnostics: [...found.diagnostics, ...state.diagnostics].sort(byPlace)
      }
      if (known.size >= maxKnown) known.clear()
      known.set(workspace, { ...state, wanted, machineState, catalogue })
      return catalogue
    },
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, path)
  )

  return { catalogue, switches, useTools }
})
