/**
 * Whether a skill can be used on this machine now: platform, then `always`, then programs and variables, then tools.
 *
 * Nothing is remembered between two looks, so a program that was installed or a variable that was set counts at the
 * next one. What a skill asks for is `SkillMetadata`.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as FileStamp from "../discovery/FileStamp.ts"
import type { SkillDisk } from "../discovery/SkillDisk.ts"
import { type Needs, noNeeds, type SkillMetadata } from "./SkillMetadata.ts"

/** The machine at one look. */
export interface Machine {
  readonly platform: string
  readonly hasProgram: (name: string) => boolean
  readonly env: (name: string) => string | undefined
  readonly hasTool: (name: string) => boolean
}

/** What is missing of a skill's needs; `tools` only where some are. */
export type Missing = Needs & { readonly tools?: ReadonlyArray<string> }

export interface Fitness {
  readonly available: boolean
  readonly platformFits: boolean
  readonly missing: Missing
  /** `platform: …`, `missing: …` or `tool_missing: …`; null when available. */
  readonly reason: string | null
}

/** The needs with something in them, as `bins: a, b; env: K`. */
export const describe = (missing: Missing): string =>
  (["bins", "anyBins", "env", "anyEnv", "tools"] as const)
    .filter((need) => (missing[need]?.length ?? 0) > 0)
    .map((need) => `${need}: ${missing[need]?.join(", ")}`)
    .join("; ")

/** Pure; a machine gives the same answer whenever it is asked. */
export const check = (
  metadata: SkillMetadata,
  toolNames: ReadonlyArray<string>,
  machine: Machine
): Fitness => {
  if (metadata.os.length > 0 && !metadata.os.includes(machine.platform)) {
    const reason = `platform: only ${metadata.os.join(", ")}, this is ${machine.platform}`
    return { available: false, platformFits: false, missing: noNeeds, reason }
  }
  const absent = (names: ReadonlyArray<string>) => names.filter((name) => !machine.hasProgram(name))
  const unset = (names: ReadonlyArray<string>) => names.filter((name) => !(machine.env(name) ?? "").trim())
  /** One is enough: with one there, none is missing. */
  const allOrNone = (names: ReadonlyArray<string>, gone: ReadonlyArray<string>) =>
    gone.length < names.length ? [] : gone
  const { bins, anyBins, env, anyEnv } = metadata.requires
  const needs: Needs = metadata.always
    ? noNeeds
    : {
        bins: absent(bins),
        anyBins: allOrNone(anyBins, absent(anyBins)),
        env: unset(env),
        anyEnv: allOrNone(anyEnv, unset(anyEnv))
      }
  // `always` lifts what the machine must have, not the tools that the text is about.
  const tools = toolNames.filter((name) => !machine.hasTool(name))
  const missing: Missing = tools.length === 0 ? needs : { ...needs, tools }
  const [all, others] = [describe(missing), describe(needs)]
  const reason = all === "" ? null : others === "" ? `tool_missing: ${tools.join(", ")}` : `missing: ${all}`
  return { available: reason === null, platformFits: true, missing, reason }
}

export interface MachineSettings {
  /** `linux`, `darwin`, `win32`. */
  readonly platform: string
  /** The value of a variable now. */
  readonly env: (name: string) => string | undefined
  /** The folders that programs are looked up in, now. */
  readonly programFolders: () => ReadonlyArray<string>
}

/** The machine for one look, with these programs looked up. */
export const machine = Effect.fnUntraced(function* (
  { platform, env, programFolders }: MachineSettings,
  disk: SkillDisk,
  programs: Iterable<string>,
  tools: ReadonlySet<string>
) {
  const path = yield* Path.Path
  const folders = programFolders().filter((folder) => folder !== "")
  const endings = platform === "win32" ? ["", ...(env("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")] : [""]
  const isProgram = (stamp: FileStamp.FileStamp | undefined) =>
    stamp !== undefined && (platform === "win32" ? FileStamp.isFile(stamp) : FileStamp.isExecutable(stamp))
  const placesOf = (name: string) =>
    (path.isAbsolute(name)
      ? [name]
      : /[/\\]/.test(name)
        ? []
        : folders.map((folder) => path.join(folder, name))
    ).flatMap((place) => endings.map((ending) => place + ending))
  const there = new Set<string>()
  // The first place that has it is enough, as it is for whoever starts it.
  for (const name of new Set(programs))
    for (const place of placesOf(name)) {
      const [stamp] = yield* disk.stamps([place])
      if (!isProgram(stamp)) continue
      there.add(name)
      break
    }
  return {
    platform,
    env,
    hasProgram: (name) => there.has(name),
    hasTool: (name) => tools.has(name)
  } satisfies Machine
})
