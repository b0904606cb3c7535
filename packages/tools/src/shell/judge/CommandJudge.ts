/**
 * What a shell text would do at its worst: the paths it writes, what must be asked, what is refused. Going through
 * its commands is `ScriptWalk`. Pure; whether a path lies in the workspace or holds a secret is looked up by
 * `BashPermission`.
 */
import { unlessTooDeep } from "../syntax/ShellText.ts"
import { AssignedVariables } from "./AssignedVariables.ts"
import { asks, escapes, type PlacedEffect } from "./CommandEffect.ts"
import { ScriptWalk, type WalkSettings } from "./ScriptWalk.ts"

interface JudgeSettings extends WalkSettings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** False: there is no bash, another shell runs the text. */
  readonly byBash?: boolean
}

interface Judgement {
  /** The strongest of all. */
  readonly effect: PlacedEffect
  /** Absolute paths that are written. */
  readonly written: ReadonlyArray<string>
  /** Absolute paths that are named, written or not; they may hold globs. */
  readonly named: ReadonlyArray<string>
  /** Of both, those with a `..` that leads elsewhere where a link stands before it: as they are written. */
  readonly climbing: ReadonlyArray<{ readonly path: string; readonly isWritten: boolean }>
}

/** The system itself takes no longer one. */
const maxSourceChars = 131_072

export const judge = (source: string, settings: JudgeSettings): Judgement => {
  // What is assigned anywhere is known after a first look: a loop may come back to what stands before it.
  const variables = new AssignedVariables(settings.env)
  const first = new ScriptWalk(settings, variables)
  const all = new ScriptWalk(settings, variables)
  if (source.length > maxSourceChars) all.found.add(escapes("it is too long to be judged"), "it")
  else {
    unlessTooDeep(
      () => {
        first.source(source, 0, settings.byBash)
        all.source(source, 0, settings.byBash)
      },
      () => all.found.add(escapes("it is nested too deeply to be judged"), "it")
    )
    for (const name of variables.doubtful())
      all.found.add(asks(`it computes with ${name}, which may hold a command`), name)
  }
  const { climbing, effect, named, written } = all.found
  return { effect, written: [...written], named: [...named], climbing: [...climbing.values()] }
}
