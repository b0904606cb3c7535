/**
 * From a source to skills in the user's folder: what is installed, brought back or updated, and with which first state.
 * How it is put there is `InstallSettlement`; the service over it, `SkillInstaller`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as SkillDisk from "../discovery/SkillDisk.ts"
import * as InstallSource from "./fetch/InstallSource.ts"
import { SkillDownloads } from "./fetch/SkillDownloads.ts"
import * as SkillFetch from "./fetch/SkillFetch.ts"
import { refuse } from "./InstallRefused.ts"
import type { Package } from "./InstallSettlement.ts"
import * as InstallSettlement from "./InstallSettlement.ts"
import * as InstallStage from "./InstallStage.ts"
import * as SkillContent from "./package/SkillContent.ts"
import * as SkillDigest from "./package/SkillDigest.ts"
import * as SkillPackage from "./package/SkillPackage.ts"
import * as ZipArchive from "./package/ZipArchive.ts"
import type { LockEntry } from "./SkillLock.ts"

export interface InstallOptions {
  readonly workspace: string
  /** Replaces a copy of the user's own. */
  readonly force: boolean
  readonly enabled: boolean
  /** A person said yes to the text as it is installed. */
  readonly trusted: boolean
  /** Personas that get it. */
  readonly assign: ReadonlyArray<string>
}

/** What became of the skills of a source. */
export interface InstallReport {
  /** At least one. */
  readonly installed: ReadonlyArray<Installed>
  readonly leftOut: ReadonlyArray<SkillPackage.LeftOutSkill>
}

export interface UpdateOptions {
  readonly workspace: string
  /** Also over files that were changed by hand. */
  readonly force: boolean
}

export interface Installed {
  readonly name: string
  readonly digest: string
  readonly enabled: boolean
  readonly trusted: boolean
  /** Paths below its folder, sorted. */
  readonly files: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<string>
  /** Absolute path of its folder. */
  readonly path: string
  readonly warnings: ReadonlyArray<string>
}

export interface Updated {
  readonly name: string
  readonly changed: boolean
  readonly digest: string
}

export const make = Effect.fnUntraced(function* (cowHome: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const downloads = yield* SkillDownloads
  const root = path.join(cowHome, "skills")
  const { lock, settle } = yield* InstallSettlement.make(cowHome)
  const digestOf = yield* SkillDigest.make(SkillDisk.fromFileSystem(fs))

  const fetched = Effect.fnUntraced(function* (source: InstallSource.InstallSource, commit?: string) {
    const resolved: InstallSource.InstallSource =
      source._tag === "Local" ? { ...source, path: path.resolve(source.path) } : source
    const got = yield* SkillFetch.fetch(resolved, commit)
    return {
      ...(yield* SkillPackage.skillsIn(got.files, got.fallbackName)),
      source: InstallSource.format(resolved),
      commit: got.commit
    } satisfies Package & SkillPackage.FoundSkills
  })

  const placedOf = Effect.fnUntraced(function* (found: Package, options: InstallOptions, partly = false) {
    const { enabled, trusted } = options
    const { leftOut, placed } = yield* settle(
      found,
      { ...options, partly },
      ({ digest }, _, at) => ({ enabled, trust: trusted ? { digest, at } : undefined }),
      options.assign
    )
    const installed = placed.map(
      ({ skill, target }): Installed => ({
        name: skill.name,
        digest: skill.digest,
        enabled,
        trusted,
        files: skill.files.map((file) => file.path),
        scripts: SkillPackage.scriptsOf(skill.files),
        path: target,
        warnings: skill.warnings
      })
    )
    return { installed, leftOut } satisfies InstallReport
  })

  const wholly = (found: Package, options: InstallOptions) =>
    Effect.map(placedOf(found, options), ({ installed }) => installed)

  const entriesOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const known = yield* lock.read
    const missing = names.find((name) => !known.has(name))
    if (missing !== undefined)
      return yield* refuse("not_in_lock", `the lock file holds no skill "${missing}"`)
    return [...known].filter(([name]) => names.length === 0 || names.includes(name))
  })

  /** The one skill of an entry, fetched anew. */
  const refetched = Effect.fnUntraced(function* (name: string, entry: LockEntry, frozen: boolean) {
    if (isUpload(entry.source))
      return yield* refuse(
        "bad_source",
        `"${name}" was handed over, not fetched (${entry.source}): install it again`
      )
    const source = yield* Effect.fromResult(InstallSource.parse(entry.source))
    const found = yield* fetched(source, frozen && entry.commit !== null ? entry.commit : undefined)
    const skill = found.skills.find((one) => one.name === name)
    if (skill === undefined)
      return yield* refuse("no_skill", `${entry.source} holds no skill "${name}" any more`)
    return { ...found, skills: [skill] } satisfies Package
  })

  /** Of what lies in the folder now; undefined where there is nothing that has a digest. */
  const present = (name: string): Effect.Effect<string | undefined> =>
    Effect.orElseSucceed(digestOf(path.join(root, name)), () => undefined)

  const provided = <A, E>(
    effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | SkillDownloads>
  ): Effect.Effect<A, E> =>
    effect.pipe(
      Effect.provideService(SkillDownloads, downloads),
      Effect.provideService(FileSystem.FileSystem, fs),
      Effect.provideService(Path.Path, path)
    )

  return {
    install: (source: string, options: InstallOptions) =>
      Effect.fromResult(InstallSource.parse(source)).pipe(
        Effect.flatMap((parsed) => fetched(parsed)),
        Effect.flatMap((found) =>
          Effect.map(placedOf(found, options, true), ({ installed, leftOut }) => ({
            installed,
            leftOut: [...found.leftOut, ...leftOut]
          })).pipe(
            // Where nothing is left the reasons of all are told.
            Effect.mapError((refusal) =>
              refusal.code === "skill_exists"
                ? SkillPackage.joined([{ name: "", refusal }, ...found.leftOut])
                : refusal
            )
          )
        ),
        provided
      ),

    upload: (bytes: Uint8Array, fileName: string, options: InstallOptions) =>
      ZipArchive.read(bytes).pipe(
        Effect.flatMap((files) =>
          SkillPackage.skillsIn(files, path.basename(fileName).replace(/\.(?:zip|skill)$/i, ""))
        ),
        Effect.flatMap((found) => Effect.fromResult(SkillPackage.strictly(found))),
        Effect.flatMap((skills) => wholly({ skills, source: `upload:${fileName}`, commit: null }, options)),
        provided
      ),

    create: (content: SkillContent.SkillContent, options: InstallOptions) =>
      SkillPackage.skillsIn([SkillContent.fileOf(SkillContent.render(content))], "").pipe(
        Effect.flatMap((found) => Effect.fromResult(SkillPackage.strictly(found))),
        Effect.flatMap((skills) => wholly({ skills, source: SkillContent.source, commit: null }, options)),
        provided
      ),

    /** Everything is fetched and compared before the first skill is placed. */
    installLocked: (names: ReadonlyArray<string>, options: InstallOptions) =>
      Effect.gen(function* () {
        yield* InstallStage.recover(root)
        const found: Array<Package> = []
        for (const [name, entry] of yield* entriesOf(names)) {
          if ((yield* present(name)) === entry.digest) continue
          const one = yield* refetched(name, entry, true)
          const digest = one.skills[0]?.digest
          if (digest !== entry.digest)
            return yield* refuse(
              "digest_mismatch",
              `${entry.source} is not what was locked for "${name}": ${digest} instead of ${entry.digest}`
            )
          found.push({ ...one, commit: entry.commit })
        }
        const done: Array<Installed> = []
        for (const one of found) done.push(...(yield* wholly(one, options)))
        return done
      }).pipe(provided),

    /** Uploads have nothing to be fetched from and stay as they are. */
    update: (names: ReadonlyArray<string>, { force, workspace }: UpdateOptions) =>
      Effect.gen(function* () {
        yield* InstallStage.recover(root)
        const done: Array<Updated> = []
        for (const [name, entry] of yield* entriesOf(names)) {
          if (isUpload(entry.source)) continue
          const now = yield* present(name)
          if (now !== entry.digest && !force)
            return yield* refuse(
              "changed_locally",
              `the skill "${name}" was changed or removed by hand; --force puts a fresh copy in its place`
            )
          const found = yield* refetched(name, entry, false)
          const digest = found.skills[0]?.digest ?? ""
          const changed = digest !== now
          // The switches stay: an old trust record no longer fits the files, and fits again if they come back.
          if (changed) yield* settle(found, { workspace, force: true }, () => ({}), [])
          done.push({ name, changed, digest })
        }
        return done
      }).pipe(provided)
  }
})

/** What came in over the API has no place to be fetched from again. */
const isUpload = (source: string): boolean => source === SkillContent.source || source.startsWith("upload:")
