/** A skill that is there: what is known of it, its trust, and its removal. The service over it is `SkillInstaller`. */
import { type Assignment, SkillAssignments } from "@cow/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as SkillTrust from "../access/SkillTrust.ts"
import * as SkillDisk from "../discovery/SkillDisk.ts"
import type { Skill } from "../manifest/Skill.ts"
import { SkillLibrary, SkillNotFound } from "../SkillLibrary.ts"
import * as SkillSwitches from "../switches/SkillSwitches.ts"
import { NotRemovable, SkillReadOnly, TrustRefused } from "./InstalledRefused.ts"
import * as InstallMark from "./InstallMark.ts"
import { refuse } from "./InstallRefused.ts"
import * as InstallStage from "./InstallStage.ts"
import { isOwn } from "./NameHolders.ts"
import * as PackageFolder from "./package/PackageFolder.ts"
import * as SkillContent from "./package/SkillContent.ts"
import * as SkillDigest from "./package/SkillDigest.ts"
import * as SkillPackage from "./package/SkillPackage.ts"
import * as SkillLockFile from "./SkillLockFile.ts"
import * as SkillPlacement from "./SkillPlacement.ts"

export interface SkillInfo {
  readonly skill: Skill
  /** Null for a skill that was not installed. */
  readonly installed: InstallMark.InstallMark | null
  /** Of the files now; null where they have none (a link among them, a loose file). */
  readonly digest: string | null
  readonly trustedAt: string | null
  readonly assignments: ReadonlyArray<Assignment>
  /** Paths below its folder, sorted. */
  readonly files: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<string>
}

export const make = Effect.fnUntraced(function* (cowHome: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const library = yield* SkillLibrary
  const assignments = yield* SkillAssignments
  const root = path.join(cowHome, "skills")
  const switches = yield* SkillSwitches.make(path.join(root, "skills_config.json"))
  const lock = yield* SkillLockFile.make(path.join(root, SkillLockFile.fileName))
  const digestOf = yield* SkillDigest.make(SkillDisk.fromFileSystem(fs))

  const notFound = (name: string) =>
    new SkillNotFound({ name, message: `there is no skill ${JSON.stringify(name)}` })

  const skillNamed = Effect.fnUntraced(function* (name: string, workspace: string) {
    const found = yield* library.find(name, workspace)
    return Option.isSome(found) ? found.value : yield* notFound(name)
  })

  const trust = Effect.fn("InstalledSkill.trust")(function* (name: string, workspace: string) {
    const skill = yield* skillNamed(name, workspace)
    const refused = (message: string) => new TrustRefused({ name: skill.name, message })
    if (skill.source === "project")
      return yield* refused(`"${skill.name}" belongs to a project and is trusted with its folder: cow trust`)
    const digest = yield* digestOf(skill.base_dir).pipe(Effect.mapError(({ message }) => refused(message)))
    const record: SkillTrust.TrustRecord = { digest, at: DateTime.formatIso(yield* DateTime.now) }
    if (!skill.installed) return record
    yield* switches
      .update((table) => {
        const { description, enabled, source } = skill
        const entry = table.get(skill.name) ?? { enabled, category: "skill" }
        const before = SkillTrust.recordOf(table, skill.name)
        // The same files again: the first yes stays on record.
        if (before?.digest === digest) return table
        return new Map(table).set(
          skill.name,
          SkillTrust.withRecord({ ...entry, name: skill.name, description, source }, record)
        )
      })
      .pipe(Effect.mapError(({ message }) => refused(message)))
    return record
  })

  const uninstall = Effect.fn("InstalledSkill.uninstall")(function* (name: string, workspace: string) {
    yield* InstallStage.recover(root)
    const { shadowed, skills } = yield* library.catalogue(workspace)
    const wanted = Option.getOrUndefined(yield* library.find(name, workspace))?.name ?? name.normalize("NFKC")
    const held = [...skills, ...shadowed].filter((one) => one.name === wanted)
    const own = held.find((one) => isOwn(root, one))
    if (own === undefined) {
      const [first] = held
      if (first === undefined) return yield* notFound(name)
      const message = `"${wanted}" at ${first.path} is not in ${root} (${first.source}) and is not removed`
      return yield* new NotRemovable({ name: wanted, path: first.path, message })
    }
    const folder = path.dirname(own.path)
    const isLoose = folder === root || path.basename(own.path) !== "SKILL.md"
    const target = isLoose ? own.path : folder
    // A link is removed, not what it points at.
    const aside = InstallStage.aside(path, root)
    yield* fs.rename(target, aside).pipe(
      Effect.andThen(fs.remove(aside, { recursive: true })),
      Effect.mapError((cause) => refuse("unwritable", `${target} cannot be removed (${cause.reason._tag})`))
    )
    yield* lock.update((before) => new Map([...before].filter(([key]) => key !== wanted)))
    yield* Effect.flatMap(assignments.of(wanted), (rows) =>
      Effect.forEach(rows, ({ persona }) => assignments.set(persona, wanted, null), { discard: true })
    ).pipe(Effect.mapError(({ message }) => refuse("unwritable", message)))
    // The catalogue drops the switch with the next look at the disk, as of any skill that is gone.
    yield* library.catalogue(workspace)
    return target
  })

  const edit = Effect.fn("InstalledSkill.edit")(function* (
    name: string,
    changes: SkillContent.SkillChanges,
    workspace: string
  ) {
    const skill = yield* skillNamed(name, workspace)
    if (!isOwn(root, skill))
      return yield* new SkillReadOnly({
        name: skill.name,
        path: skill.path,
        message: `"${skill.name}" at ${skill.path} is not in ${root} (${skill.source}) and is not changed`
      })
    const isLoose = path.basename(skill.path) !== "SKILL.md" || skill.base_dir === root
    const text = yield* fs
      .readFileString(skill.path)
      .pipe(
        Effect.mapError(({ reason }) => refuse("unwritable", `${skill.path} cannot be read (${reason._tag})`))
      )
    const next = yield* SkillContent.edit(text, changes).pipe(
      Effect.mapError(({ line, message }) => refuse("invalid_skill", `line ${line}: ${message}`))
    )
    if (next === text) return false
    const files = isLoose ? [] : yield* PackageFolder.read(skill.base_dir)
    const others = files.filter((file) => file.path !== "SKILL.md")
    const found = yield* SkillPackage.skillsIn([...others, SkillContent.fileOf(next)], skill.name)
    const [changed] = yield* Effect.fromResult(SkillPackage.strictly(found))
    if (changed === undefined) return false
    // A mark that is there stays: it says where the skill came from. One's own text, edited from outside, gets one.
    const before = skill.installed ? yield* InstallMark.read(skill.base_dir) : Option.none()
    const mark = Option.getOrElse(before, () => ({
      source: SkillContent.source,
      commit: null,
      digest: changed.digest
    }))
    const at = DateTime.formatIso(yield* DateTime.now)
    yield* SkillPlacement.place(
      root,
      [
        {
          name: changed.name,
          files: changed.files,
          mark: { installed_at: at, ...mark },
          replaces: isLoose ? skill.path : skill.base_dir
        }
      ],
      // An own skill is everyone's; with a mark it would be nobody's.
      skill.installed
        ? Effect.void
        : Effect.asVoid(
            Effect.mapError(assignments.set("*", skill.name, true), ({ message }) =>
              refuse("unwritable", message)
            )
          )
    )
    return true
  })

  const info = Effect.fn("InstalledSkill.info")(function* (name: string, workspace: string) {
    const skill = yield* skillNamed(name, workspace)
    const isLoose = path.basename(skill.path) !== "SKILL.md" || skill.base_dir === root
    const mark = skill.installed ? yield* InstallMark.read(skill.base_dir) : Option.none()
    const files = isLoose
      ? []
      : yield* SkillDigest.filesIn(skill.base_dir).pipe(Effect.orElseSucceed(() => []))
    const digest = isLoose ? null : yield* Effect.orElseSucceed(digestOf(skill.base_dir), () => null)
    const table = yield* switches.read.pipe(
      Effect.map((read) => read.table),
      Effect.orElseSucceed(() => new Map<string, never>())
    )
    return {
      skill,
      installed: Option.getOrNull(mark),
      digest,
      trustedAt: SkillTrust.recordOf(table, skill.name)?.at ?? null,
      assignments: yield* Effect.orElseSucceed(assignments.of(skill.name), () => []),
      files: isLoose ? [path.basename(skill.path)] : files.map((file) => file.path),
      scripts: SkillPackage.scriptsOf(files)
    } satisfies SkillInfo
  })

  const provided = <A, E>(
    effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>
  ): Effect.Effect<A, E> =>
    effect.pipe(Effect.provideService(FileSystem.FileSystem, fs), Effect.provideService(Path.Path, path))

  return {
    trust,
    uninstall: (name: string, workspace: string) => provided(uninstall(name, workspace)),
    edit: (name: string, changes: SkillContent.SkillChanges, workspace: string) =>
      provided(edit(name, changes, workspace)),
    info: (name: string, workspace: string) => provided(info(name, workspace))
  }
})
