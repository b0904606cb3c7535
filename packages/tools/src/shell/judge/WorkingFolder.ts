/**
 * Where the commands of a shell text may run: every folder that is possible at a place, as a `cd` may fail or may
 * not be reached. Pure values; which command changes it is `ScriptWalk`.
 */

import type { CommandWord } from "./CommandWord.ts"

/** `path.resolve`. */
export type Resolve = (folder: string, file: string) => string

export interface WorkingFolder {
  /** Absolute. */
  readonly folders: ReadonlySet<string>
  /** True: it may also be one that is not known. */
  readonly lost: boolean
}

export const at = (folder: string): WorkingFolder => ({ folders: new Set([folder]), lost: false })

/** Either of both. */
export const either = (left: WorkingFolder, right: WorkingFolder): WorkingFolder =>
  left === right
    ? left
    : { folders: new Set([...left.folders, ...right.folders]), lost: left.lost || right.lost }

/** What a change of folder leads to, from every place. `undefined`: not known. */
export const change = (
  { folders, lost }: WorkingFolder,
  to: string | undefined,
  resolve: Resolve
): WorkingFolder =>
  to === undefined
    ? { folders: new Set(), lost: true }
    : {
        folders: new Set([...folders, ...(to.startsWith("/") ? ["/"] : [])].map((from) => resolve(from, to))),
        lost: lost && !to.startsWith("/")
      }

/** After `cd`, `pushd` or `popd` with these arguments, if it goes well. */
export const afterCommand = (
  here: WorkingFolder,
  name: string,
  args: ReadonlyArray<CommandWord>,
  { home, resolve }: { readonly home: string; readonly resolve: Resolve }
): WorkingFolder => {
  const target = args.find(({ text }) => !text?.startsWith("-") || text === "-")
  const isPlain = args.every(({ text }) => text === undefined || !/^[-+]./.test(text) || text === "--")
  const text = target === undefined && name === "cd" ? home : target?.text
  const isKnown = name !== "popd" && text !== undefined && text !== "-" && target?.isGlob !== true
  const next = change(here, isKnown ? text : undefined, resolve)
  const seen = target?.guess === undefined ? next : either(next, change(here, target.guess, resolve))
  return isPlain ? seen : either(here, { ...seen, lost: true })
}

/** The one folder that it surely is. */
export const only = ({ folders, lost }: WorkingFolder): string | undefined => {
  const [first] = folders
  return folders.size === 1 && !lost ? first : undefined
}
