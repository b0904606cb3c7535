/**
 * Installs skills into `COW_HOME/skills` from folders, zips, addresses and repositories, and keeps them: lock file,
 * updates, removal, trust. Nothing that a package brings is run, and its text reaches no model before it is trusted.
 *
 * Which skills count is `SkillLibrary`; where bytes come from, `SkillFetch`; how they are placed, `SkillPlacement`.
 */
import type { SkillAssignments } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { TrustRecord } from "./access/SkillTrust.ts"
import type { SkillDownloads } from "./install/fetch/SkillDownloads.ts"
import type * as Installation from "./install/Installation.ts"
import type { NotRemovable, SkillReadOnly, TrustRefused } from "./install/InstalledRefused.ts"
import type { SkillInfo } from "./install/InstalledSkill.ts"
import type { InstallRefused } from "./install/InstallRefused.ts"
import type { SkillChanges, SkillContent } from "./install/package/SkillContent.ts"
import type { SkillLibrary, SkillNotFound } from "./SkillLibrary.ts"

/** A run installs nothing, and does not wait for what could. */
const load = Effect.promise(async () => {
  const [Installation, InstalledSkill] = await Promise.all([
    import("./install/Installation.ts"),
    import("./install/InstalledSkill.ts")
  ])
  return { Installation, InstalledSkill }
})

export class SkillInstaller extends Context.Service<
  SkillInstaller,
  {
    /** Every skill of the source that can be installed; fails where there is none. */
    readonly install: (
      source: string,
      options: Installation.InstallOptions
    ) => Effect.Effect<Installation.InstallReport, InstallRefused>
    /** A zip that was handed over instead of fetched: all of its skills, or none. */
    readonly upload: (
      bytes: Uint8Array,
      fileName: string,
      options: Installation.InstallOptions
    ) => Effect.Effect<ReadonlyArray<Installation.Installed>, InstallRefused>
    /** From fields instead of a package. */
    readonly create: (
      content: SkillContent,
      options: Installation.InstallOptions
    ) => Effect.Effect<ReadonlyArray<Installation.Installed>, InstallRefused>
    /** Changes the text of an own skill, which is untrusted then. False: it says so already, nothing is written. */
    readonly edit: (
      name: string,
      changes: SkillChanges,
      workspace: string
    ) => Effect.Effect<boolean, SkillNotFound | SkillReadOnly | InstallRefused>
    /** Exactly what the lock file says, of these names or all; what is there already is left alone. */
    readonly installLocked: (
      names: ReadonlyArray<string>,
      options: Installation.InstallOptions
    ) => Effect.Effect<ReadonlyArray<Installation.Installed>, InstallRefused>
    /** Fetches again what the lock file names. What changed is untrusted until it is trusted again. */
    readonly update: (
      names: ReadonlyArray<string>,
      options: Installation.UpdateOptions
    ) => Effect.Effect<ReadonlyArray<Installation.Updated>, InstallRefused>
    /** Gives the path that was removed. */
    readonly uninstall: (
      name: string,
      workspace: string
    ) => Effect.Effect<string, SkillNotFound | NotRemovable | InstallRefused>
    /** Trusts the files as they are at this moment. */
    readonly trust: (
      name: string,
      workspace: string
    ) => Effect.Effect<TrustRecord, SkillNotFound | TrustRefused>
    readonly info: (name: string, workspace: string) => Effect.Effect<SkillInfo, SkillNotFound>
  }
>()("@cow/skills/SkillInstaller") {
  /** @param cowHome absolute path of `COW_HOME` */
  static readonly layer = (
    cowHome: string
  ): Layer.Layer<
    SkillInstaller,
    never,
    SkillLibrary | SkillDownloads | SkillAssignments | FileSystem.FileSystem | Path.Path
  > =>
    Layer.effect(
      SkillInstaller,
      Effect.gen(function* () {
        const { Installation, InstalledSkill } = yield* load
        return SkillInstaller.of({
          ...(yield* Installation.make(cowHome)),
          ...(yield* InstalledSkill.make(cowHome))
        })
      })
    )
}
