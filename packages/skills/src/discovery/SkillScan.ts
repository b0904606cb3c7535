/**
 * The first of the three steps of the catalogue: every root scanned, every file decoded, one skill a name.
 *
 * Which roots there are is decided here; switches and requirements come after (`SkillLibrary`).
 */
import { Diagnostic, SkillFolders } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as SkillTrust from "../access/SkillTrust.ts"
import * as ManifestCache from "../manifest/ManifestCache.ts"
import type { ShadowedSkill, SkillSource } from "../manifest/Skill.ts"
import type { SkillManifest } from "../manifest/SkillManifest.ts"
import type { ProjectTrust, SkillSettings } from "../manifest/SkillSettings.ts"
import * as SkillCards from "../prompt/SkillCards.ts"
import type { SwitchTable } from "../switches/SwitchTable.ts"
import * as SeenDisk from "./SeenDisk.ts"
import * as SkillDiscovery from "./SkillDiscovery.ts"
import type { SkillDisk } from "./SkillDisk.ts"
import * as SkillPrecedence from "./SkillPrecedence.ts"

export interface ScannedSkill extends SkillPrecedence.Candidate {
  readonly baseDir: string
  readonly manifest: SkillManifest
  readonly installed: boolean
  readonly distrust: SkillTrust.Distrust
}

export interface Scan {
  readonly skills: ReadonlyArray<ScannedSkill>
  readonly shadowed: ReadonlyArray<ShadowedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** Sources of which nothing could have been overlooked. */
  readonly wholly: ReadonlySet<SkillSource>
}

interface Remembered {
  /** The roots, and what of a project is trusted. */
  readonly key: string
  readonly seen: SeenDisk.SeenDisk
  readonly scan: Scan
}

interface Root extends SkillDiscovery.SkillRoot {
  /** Of a project: its place below the project folder, with `/`. */
  readonly item?: string
}

/** Sources whose roots are always the same; a plugin or another project may have more skills elsewhere. */
const fixedSources: ReadonlyArray<SkillSource> = ["builtin", "user"]

/**
 * The scan of a workspace: the very same value as the last one while nothing has changed on disk.
 *
 * @param records asked once a scan, and only where an installed skill is found: the switches with the trust records
 */
export const make = Effect.fnUntraced(function* (
  settings: SkillSettings,
  disk: SkillDisk,
  trust: Effect.Success<ReturnType<typeof SkillTrust.make>>,
  records: Effect.Effect<SwitchTable>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = yield* SkillFolders
  const manifests = ManifestCache.make(disk)
  const look = SeenDisk.make(fs, disk)
  const switches = path.join(settings.cowHome, "skills", "skills_config.json")
  const remembered = new Map<string, Remembered>()
  const forget = () => {
    for (const { seen } of remembered.values()) seen.close()
    remembered.clear()
  }
  yield* Effect.addFinalizer(() => Effect.sync(forget))

  /** In the order of precedence inside a source; a file reached from two roots belongs to the first of them. */
  const rootsOf = Effect.fnUntraced(function* (workspace: string) {
    const root =
      (source: SkillSource, named = false) =>
      (...parts: [string, ...Array<string>]): Root => ({ path: path.join(...parts), source, named })
    const plugins = yield* folders.list
    const user = root("user")
    const project = (...parts: [string, ...Array<string>]): Root => ({
      ...root("project")(workspace, ...parts),
      item: parts.join("/")
    })
    return [
      user(settings.cowHome, "skills"),
      user(settings.home, ".agents", "skills"),
      user(settings.home, ".claude", "skills"),
      ...plugins.map((folder) => root("plugin", true)(folder.path)),
      root("builtin", true)(settings.builtinFolder),
      project(".cow", "skills"),
      project(".agents", "skills"),
      project(".claude", "skills")
    ]
  })

  /** A project is trusted by the entries of its folders of skills: each with all that is in it. */
  const isTrusted = (root: Root, file: string, trusted: ProjectTrust): boolean => {
    if (root.item === undefined || typeof trusted === "boolean")
      return root.item === undefined || trusted === true
    const [entry] = path.relative(root.path, file).split(path.sep)
    return trusted.has(`${root.item}/${entry}`)
  }

  const scan = Effect.fn("SkillScan.scan")(
    function* (roots: ReadonlyArray<Root>, projectTrusted: ProjectTrust, seen: SeenDisk.SeenDisk) {
      const scans = yield* Effect.forEach(roots, (root) => SkillDiscovery.scan(root, seen), {
        concurrency: 8
      })
      const diagnostics = scans.flatMap((scan) => scan.diagnostics)
      const overlooked = new Set(roots.filter((_, at) => !scans[at]?.complete).map(({ source }) => source))

      const owners = new Map<string, { readonly root: number; readonly found: SkillDiscovery.FoundSkill }>()
      for (const [root, { found }] of scans.entries())
        for (const skill of found)
          if (!owners.has(skill.realPath)) owners.set(skill.realPath, { root, found: skill })

      const owned = [...owners.values()]
      const read = yield* manifests.read(
        owned.map(({ found }) => found),
        seen
      )
      const recorded = yield* Effect.cached(Effect.andThen(seen.anchor([switches]), records))
      const candidates: Array<ScannedSkill> = []
      for (const [at, { root, found }] of owned.entries()) {
        const manifest = read[at] as ManifestCache.ReadManifest
        const from = roots[root] as Root
        const { source } = from
        if (Result.isFailure(manifest)) {
          overlooked.add(source)
          diagnostics.push(Diagnostic.error(found.path, manifest.failure.message))
          continue
        }
        const skill = manifest.success
        for (const message of skill.warnings) diagnostics.push(Diagnostic.warning(found.path, message))
        if (SkillCards.clean(found.path) !== found.path)
          diagnostics.push(
            Diagnostic.warning(found.path, "its path cannot stand in the prompt: rename the folder")
          )
        const installed = source === "user" && found.installed
        if (installed) yield* seen.noteBelow(found.baseDir)
        const distrust = !isTrusted(from, found.path, projectTrusted)
          ? "untrusted"
          : installed
            ? yield* trust.judge(found.baseDir, SkillTrust.recordOf(yield* recorded, skill.name))
            : null
        candidates.push({
          name: skill.name,
          path: found.path,
          baseDir: found.baseDir,
          source,
          trusted: distrust === null,
          distrust,
          installed,
          root,
          manifest: skill
        })
      }
      const settled = SkillPrecedence.settle(candidates)
      return {
        skills: settled.winners,
        shadowed: settled.shadowed,
        diagnostics: [...diagnostics, ...settled.diagnostics],
        wholly: new Set(fixedSources.filter((source) => !overlooked.has(source)))
      } satisfies Scan
    },
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, path)
  )

  return Effect.fnUntraced(function* (workspace: string) {
    const roots = yield* rootsOf(workspace)
    const trusted = yield* settings.projectTrusted(workspace)
    const key = JSON.stringify([roots, typeof trusted === "boolean" ? trusted : [...trusted]])
    const before = remembered.get(workspace)
    if (before?.key === key && (yield* before.seen.isFresh)) return before.scan
    const seen = yield* look
    const found = yield* scan(roots, trusted, seen)
    if (remembered.size >= maxRemembered) forget()
    // Another question may have come first with a scan of its own.
    remembered.get(workspace)?.seen.close()
    remembered.set(workspace, { key, seen, scan: found })
    return found
  })
})

/** Workspaces of which the last scan is kept. */
const maxRemembered = 16
