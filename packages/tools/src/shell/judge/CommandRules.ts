/**
 * What one command does by its name and arguments: the rule that knows it. Wrappers of other commands are
 * `CommandWrapper`, the folder it runs in is `WorkingFolder`. Pure.
 */
import { asks, type CommandEffect } from "./CommandEffect.ts"
import type { CommandWord } from "./CommandWord.ts"
import * as GitCommand from "./GitCommand.ts"
import * as ReadOnlyCommands from "./ReadOnlyCommands.ts"
import * as ScriptedCommand from "./ScriptedCommand.ts"
import * as WritingCommands from "./WritingCommands.ts"

const scripted: Readonly<
  Record<string, (args: ReadonlyArray<CommandWord>) => ScriptedCommand.ScriptedEffect>
> = {
  find: ScriptedCommand.find,
  sed: ScriptedCommand.sed,
  gsed: ScriptedCommand.sed,
  awk: ScriptedCommand.awk,
  gawk: ScriptedCommand.awk,
  mawk: ScriptedCommand.awk,
  nawk: ScriptedCommand.awk
}

interface Ruling {
  readonly effects: ReadonlyArray<CommandEffect>
  /** Commands that it runs. */
  readonly commands: ReadonlyArray<ReadonlyArray<CommandWord>>
}

export const judge = (name: string, args: ReadonlyArray<CommandWord>, home: string): Ruling => {
  if (name === "git") {
    const { effect, folders } = GitCommand.judge(args)
    const isReading = effect._tag === "Reads"
    return { effects: isReading ? [effect] : [effect, { _tag: "Writes", paths: folders }], commands: [] }
  }
  const script = Object.hasOwn(scripted, name) ? scripted[name] : undefined
  if (script !== undefined) {
    const { commands, effect } = script(args)
    return { effects: [effect], commands: commands.filter(({ length }) => length > 0) }
  }
  const reading = ReadOnlyCommands.find(name, args)?.(args)
  const effect = reading?._tag === "Reads" ? reading : (WritingCommands.find(name, home)?.(args) ?? reading)
  return { effects: [effect ?? asks(`${name} is not known to be read-only`)], commands: [] }
}
