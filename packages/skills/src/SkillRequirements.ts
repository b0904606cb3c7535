/**
 * Whether a skill can be used on this machine now: platform, then `always`, then programs and variables.
 *
 * Nothing is remembered between two looks, so a program that was installed or a variable that was set counts at the
 * next one. What a skill asks for is `SkillMetadata`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type Needs, noNeeds, type SkillMetadata } from "./SkillMetadata.ts"

/** The machine, looked at anew at every call. */
export interface Machine {
  readonly platform: string
  readonly hasProgram: (name: string) => Effect.Effect<boolean>
  readonly env: (name: string) => string | undefined
}

export interface Fitness {
  readonly available: boolean
  readonly platformFits: boolean
  readonly missing: Needs
  /** `platform: …` or `missing: …`; null when available. */
  readonly reason: string | null
}

/** The needs with something in them, as `bins: a, b; env: K`. */
export const describe = (missing: Needs): string =>
  (["bins", "anyBins", "env", "anyEnv"] as const)
    .filter((need) => missing[need].length > 0)
    .map((need) => `${need}: ${missing[need].join(", ")}`)
    .join("; ")

export const check = Effect.fnUntraced(function* (metadata: SkillMetadata, machine: Machine) {
  if (metadata.os.length > 0 && !metadata.os.includes(machine.platform)) {
    const reason = `platform: only ${metadata.os.join(", ")}, this is ${machine.platform}`
    return { available: false, platformFits: false, missing: noNeeds, reason } satisfies Fitness
  }
  if (metadata.always)
    return { available: true, platformFits: true, missing: noNeeds, reason: null } satisfies Fitness
  const { bins, anyBins, env, anyEnv } = metadata.requires
  const absent = (names: ReadonlyArray<string>) =>
    Effect.filter(names, (name) => Effect.map(machine.hasProgram(name), (there) => !there))
  const unset = (names: ReadonlyArray<string>) => names.filter((name) => !(machine.env(name) ?? "").trim())
  /** One is enough: with one there, none is missing. */
  const allOrNone = (names: ReadonlyArray<string>, gone: ReadonlyArray<string>) =>
    gone.length < names.length ? [] : gone
  const missing: Needs = {
    bins: yield* absent(bins),
    anyBins: allOrNone(anyBins, yield* absent(anyBins)),
    env: unset(env),
    anyEnv: allOrNone(anyEnv, unset(anyEnv))
  }
  const text = describe(missing)
  const reason = text === "" ? null : `missing: ${text}`
  return { available: reason === null, platformFits: true, missing, reason } satisfies Fitness
})

export interface MachineSettings {
  /** `linux`, `darwin`, `win32`. */
  readonly platform: string
  /** The value of a variable now. */
  readonly env: (name: string) => string | undefined
  /** The folders that programs are looked up in, now. */
  readonly programFolders: () => ReadonlyArray<string>
}

/** The machine for one look: programs are looked up once each. */
export const machine = Effect.fnUntraced(function* ({ platform, env, programFolders }: MachineSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = programFolders()
  const known = new Map<string, boolean>()
  const endings = platform === "win32" ? ["", ...(env("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")] : [""]
  const isProgram = (file: string) =>
    fs.stat(file).pipe(
      Effect.map(({ type, mode }) => type === "File" && (platform === "win32" || (mode & 0o111) !== 0)),
      // What cannot be looked at cannot be started either.
      Effect.orElseSucceed(() => false)
    )
  const hasProgram = Effect.fnUntraced(function* (name: string) {
    const before = known.get(name)
    if (before !== undefined) return before
    const places = path.isAbsolute(name)
      ? [name]
      : /[/\\]/.test(name)
        ? []
        : folders.filter((folder) => folder !== "").map((folder) => path.join(folder, name))
    const files = places.flatMap((place) => endings.map((ending) => place + ending))
    const there = (yield* Effect.findFirst(files, isProgram))._tag === "Some"
    known.set(name, there)
    return there
  })
  return { platform, env, hasProgram } satisfies Machine
})
