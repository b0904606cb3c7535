/**
 * What is found while a shell text is judged: the strongest effect, the paths that are written or named, and the
 * folders the commands may run in. Who finds it is `ScriptWalk`.
 */
import { asks, type CommandEffect, never, type PlacedEffect, reads } from "./CommandEffect.ts"
import { beforeGlob, type CommandWord } from "./CommandWord.ts"
import * as WorkingFolder from "./WorkingFolder.ts"
import * as WritingCommands from "./WritingCommands.ts"

const strength = { Reads: 0, Asks: 1, Escapes: 2, Never: 3 } as const
/** Longer than the path of any file. */
const maxPathChars = 4096
/** Files that swallow or show what is written to them. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

export class CommandFindings {
  /** The strongest so far. */
  effect: PlacedEffect = reads
  readonly written = new Set<string>()
  readonly named = new Set<string>()
  readonly climbing = new Map<string, { readonly path: string; readonly isWritten: boolean }>()
  here: WorkingFolder.WorkingFolder

  constructor(
    workspace: string,
    private readonly resolve: WorkingFolder.Resolve
  ) {
    this.here = WorkingFolder.at(workspace)
  }

  /** Takes an effect into account; `what` has it. */
  add(effect: CommandEffect, what: string): void {
    if (effect._tag === "Writes") {
      // Writing nowhere is not all that such a command may do.
      for (const path of effect.paths)
        if (sinks.test(path.text ?? ""))
          this.add(asks(`${what} may do more than write to ${path.text}`), what)
        else this.write(path, what)
      return
    }
    if (strength[effect._tag] > strength[this.effect._tag]) this.effect = effect
  }

  /** Every path that a text may mean here. */
  private places(text: string, isWritten: boolean): ReadonlyArray<string> {
    const from = text.startsWith("/") ? ["/"] : [...this.here.folders]
    return from.map((folder) => {
      const joined = text.startsWith("/") ? text : `${folder}/${text}`
      if (/[^/.][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(joined))
        this.climbing.set(`${isWritten} ${joined}`, { path: joined, isWritten })
      return this.resolve(folder, text)
    })
  }

  write(word: CommandWord, what: string): void {
    const text = beforeGlob(word)
    if (word.text === undefined || (this.here.lost && text?.startsWith("/") !== true))
      this.add(asks(`${what} writes to a path known at run time only`), what)
    if (text === undefined) return
    for (const path of this.places(text, true))
      if (WritingCommands.isBlockDevice(path)) this.add(never(`${what} would overwrite a disk`), what)
      else if (!sinks.test(path)) this.written.add(path)
  }

  /** What a redirection does to the word behind its operator. */
  redirect(operator: string, word: CommandWord): void {
    if (operator === "<<" || operator === "<<<") return
    this.name(word)
    if (word.text?.startsWith("/dev/tcp/") || word.text?.startsWith("/dev/udp/"))
      this.add(asks("it opens a network connection"), "it")
    if (operator === "<" || operator === "<&") return
    if (operator === ">&" && /^(?:\d+-?|-)$/.test(word.text ?? "")) return
    this.write(word, "a redirection")
  }

  /** Remembers a word as a path that is named, with what may stand in front of one. */
  name(word: CommandWord): void {
    const { text } = word
    if (text === undefined) return
    for (const candidate of new Set([text, text.replace(/^@/, ""), text.replace(/^[^=]*=@?/, "")]))
      if (candidate !== "" && candidate.length <= maxPathChars)
        for (const path of this.places(candidate, false)) this.named.add(path)
  }
}
