/**
 * Makes a package the user's own: it is placed, given, locked and switched, or nothing of all that has happened. Which
 * packages, and with which switches, is `Installation`.
 */
import { SkillAssignments } from "@cow/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { SkillLibrary } from "../SkillLibrary.ts"
import * as SkillSwitches from "../switches/SkillSwitches.ts"
import type { Switch } from "../switches/SwitchTable.ts"
import { refuse } from "./InstallRefused.ts"
import * as InstallStage from "./InstallStage.ts"
import { giveWay, type NameHolder } from "./NameHolders.ts"
import type { LeftOutSkill, PackagedSkill } from "./package/SkillPackage.ts"
import * as SkillPackage from "./package/SkillPackage.ts"
import * as SkillLockFile from "./SkillLockFile.ts"
import * as SkillPlacement from "./SkillPlacement.ts"

export interface Package {
  readonly skills: ReadonlyArray<PackagedSkill>
  readonly source: string
  readonly commit: string | null
}

export interface SettleOptions {
  readonly workspace: string
  /** Replaces a copy of the user's own. */
  readonly force: boolean
  /** Skills whose name is held do not keep the others back. */
  readonly partly?: boolean
}

export const make = Effect.fnUntraced(function* (cowHome: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const library = yield* SkillLibrary
  const assignments = yield* SkillAssignments
  const root = path.join(cowHome, "skills")
  const switches = yield* SkillSwitches.make(path.join(root, "skills_config.json"))
  const lock = yield* SkillLockFile.make(path.join(root, SkillLockFile.fileName))

  /** Every name, shadowed ones included. */
  const holders = (workspace: string): Effect.Effect<ReadonlyArray<NameHolder>> =>
    Effect.map(library.catalogue(workspace), ({ skills, shadowed }) => [...skills, ...shadowed])

  /** What gives way to a skill: a folder, or the one file that a loose skill is. */
  const replaced = (holder: NameHolder): string => {
    const folder = path.dirname(holder.path)
    return folder === root || path.basename(holder.path) !== "SKILL.md" ? holder.path : folder
  }

  const targets = Effect.fnUntraced(function* (
    skills: ReadonlyArray<PackagedSkill>,
    workspace: string,
    force: boolean
  ) {
    const held = yield* holders(workspace)
    return yield* Effect.partition(skills, (skill) =>
      Effect.gen(function* () {
        const holder = yield* Effect.fromResult(giveWay(skill.name, held, root, force))
        const replaces = holder === null ? null : replaced(holder)
        const target = path.join(root, skill.name)
        const taken = yield* fs.exists(target).pipe(Effect.orElseSucceed(() => true))
        if (taken && replaces !== target)
          return yield* refuse("skill_exists", `${target} is there already and is not replaced`)
        return { skill, replaces, target }
      }).pipe(Effect.mapError((refusal): LeftOutSkill => ({ name: skill.name, refusal })))
    )
  })

  /** Places a package, or fails with nothing placed; `entryOf` makes the switch of each of its skills. */
  const settle = Effect.fnUntraced(function* (
    { commit, skills: found, source }: Package,
    options: SettleOptions,
    entryOf: (skill: PackagedSkill, before: Partial<Switch> | undefined, at: string) => Partial<Switch>,
    assign: ReadonlyArray<string>
  ) {
    yield* InstallStage.recover(root)
    const [placed, leftOut] = yield* targets(found, options.workspace, options.force)
    if (leftOut.length > 0 && (options.partly !== true || placed.length === 0))
      return yield* SkillPackage.joined(leftOut)
    const skills = placed.map(({ skill }) => skill)
    const at = DateTime.formatIso(yield* DateTime.now)
    const lockedBefore = yield* lock.read
    const given: Array<readonly [persona: string, name: string]> = []
    const assigned = Effect.forEach(skills, ({ name }) =>
      Effect.forEach(assign, (persona) =>
        Effect.map(assignments.set(persona, name, true), (changed) => {
          if (changed) given.push([persona, name])
        })
      )
    ).pipe(Effect.mapError(({ message }) => refuse("unwritable", message)))
    const switched = switches
      .update((table) => {
        const next = new Map(table)
        for (const skill of skills) {
          const { name, description } = skill
          const before = table.get(name)
          next.set(name, {
            enabled: true,
            category: "skill",
            ...before,
            ...entryOf(skill, before, at),
            name,
            description,
            source: "user"
          })
        }
        return next
      })
      .pipe(Effect.mapError(({ message }) => refuse("unwritable", message)))
    const locked = lock.update((before) => {
      const next = new Map(before)
      for (const { name, digest } of skills) next.set(name, { source, commit, digest })
      return next
    })
    const taken = Effect.andThen(
      lock.update((table) => {
        const next = new Map(table)
        for (const { name } of skills) {
          const entry = lockedBefore.get(name)
          if (entry === undefined) next.delete(name)
          else next.set(name, entry)
        }
        return next
      }),
      Effect.forEach(given, ([persona, name]) => assignments.set(persona, name, null), { discard: true })
    )
    yield* SkillPlacement.place(
      root,
      placed.map(({ replaces, skill: { digest, files, name } }) => ({
        name,
        files,
        replaces,
        mark: { source, commit, digest, installed_at: at }
      })),
      assigned.pipe(
        Effect.andThen(locked),
        Effect.andThen(switched),
        Effect.asVoid,
        Effect.onError(() => Effect.ignore(taken))
      )
    )
    return { placed, leftOut }
  })

  return { settle, lock }
})
