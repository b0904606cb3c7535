/**
 * What a shell text would do at its worst, command by command: the paths it writes, what must be asked, what is
 * refused. Pure; whether a path lies in the workspace or holds a secret is looked up by `BashPermission`.
 */
import * as Result from "effect/Result"
import { asks, type CommandEffect, escapes, never, reads } from "./CommandEffect.ts"
import { beforeGlob, type CommandWord, expand, fixed } from "./CommandWord.ts"
import * as CommandWrapper from "./CommandWrapper.ts"
import * as GitCommand from "./GitCommand.ts"
import * as ReadOnlyCommands from "./ReadOnlyCommands.ts"
import * as ScriptedCommand from "./ScriptedCommand.ts"
import { parse } from "./ShellCommand.ts"
import type { Redirect, Script, SimpleCommand, Word } from "./ShellSyntax.ts"
import * as WritingCommands from "./WritingCommands.ts"

export interface JudgeSettings {
  /** Absolute. Relative paths start here until the text changes its folder. */
  readonly workspace: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `path.resolve`. */
  readonly resolve: (folder: string, file: string) => string
}

export interface Judgement {
  /** The strongest of what is known without looking at files: never `Writes`. */
  readonly effect: Exclude<CommandEffect, { readonly _tag: "Writes" }>
  /** Absolute paths that are written. */
  readonly written: ReadonlyArray<string>
  /** Absolute paths that are named, written or not; they may hold globs. */
  readonly named: ReadonlyArray<string>
}

const strength = { Reads: 0, Asks: 1, Escapes: 2, Never: 3 } as const
const maxDepth = 20
const trusted = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/
/** Files that swallow or show what is written to them. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

class Judge {
  effect: Judgement["effect"] = reads as Judgement["effect"]
  readonly written = new Set<string>()
  readonly named = new Set<string>()
  /** `undefined`: not known any more. */
  private folder: string | undefined
  private readonly assigned = new Map<string, string | undefined>()

  constructor(private readonly settings: JudgeSettings) {
    this.folder = settings.workspace
  }

  /** Takes an effect into account. */
  add(effect: CommandEffect, what: string): void {
    if (effect._tag === "Writes") {
      for (const path of effect.paths) this.write(path, what)
      return
    }
    if (strength[effect._tag] > strength[this.effect._tag]) this.effect = effect
  }

  private place(word: CommandWord): string | undefined {
    const text = beforeGlob(word)
    if (text === undefined || (this.folder === undefined && !text.startsWith("/"))) return undefined
    return this.settings.resolve(this.folder ?? "/", text)
  }

  private write(word: CommandWord, what: string): void {
    const path = this.place(word)
    if (path === undefined) this.add(asks(`${what} writes to a path known at run time only`), what)
    else if (WritingCommands.isBlockDevice(path)) this.add(never(`${what} would overwrite a disk`), what)
    else if (!sinks.test(path)) this.written.add(path)
  }

  /** Remembers a word as a path that is named, with what may stand in front of one. */
  private name(word: CommandWord): void {
    if (word.text === undefined || this.folder === undefined) return
    for (const text of [word.text, word.text.replace(/^@/, ""), word.text.replace(/^[^=]*=@?/, "")])
      if (text !== "") this.named.add(this.settings.resolve(this.folder, text))
  }

  private expand(word: Word): CommandWord {
    for (const part of word.parts)
      if (part._tag === "Unknown" && part.script !== undefined) this.subshell(part.script)
    return expand(word, {
      home: this.settings.home,
      valueOf: (name) => {
        if (name === "PWD") return this.folder
        return this.assigned.has(name) ? this.assigned.get(name) : this.settings.env[name]
      }
    })
  }

  private isTooDeep(depth: number): boolean {
    if (depth > maxDepth) this.add(escapes("it is nested too deeply to be judged"), "it")
    return depth > maxDepth
  }

  private subshell(script: Script, depth = 0): void {
    const folder = this.folder
    this.script(script, depth)
    this.folder = folder
  }

  script(script: Script, depth: number): void {
    if (this.isTooDeep(depth)) return
    for (const node of script) {
      if (node._tag === "Simple") this.simple(node, depth)
      else {
        for (const word of node.words) this.name(this.expand(word))
        this.redirects(node.redirects)
        if (node.subshell) this.subshell(node.body, depth + 1)
        else this.script(node.body, depth + 1)
      }
    }
  }

  private redirects(redirects: ReadonlyArray<Redirect>): void {
    for (const { operator, target } of redirects) {
      const word = this.expand(target)
      if (operator === "<<" || operator === "<<<") continue
      this.name(word)
      if (operator === "<" || operator === "<&") continue
      if (operator === ">&" && /^(?:\d+-?|-)$/.test(word.text ?? "")) continue
      this.write(word, "a redirection")
    }
  }

  private simple(command: SimpleCommand, depth: number): void {
    for (const { name, value } of command.assignments) {
      const word = this.expand(value)
      this.name(word)
      if (CommandWrapper.isRiskyVariable(name)) this.add(asks(`it sets ${name}`), name)
      // In a loop or a condition it may be another value: only what is never certain is safe to say.
      this.assigned.set(name, undefined)
    }
    this.redirects(command.redirects)
    const words = command.words.map((word) => this.expand(word))
    for (const word of words) this.name(word)
    if (words.length > 0) this.run(words, depth)
  }

  private run(words: ReadonlyArray<CommandWord>, depth: number): void {
    const [first, ...args] = words
    const given = first === undefined ? undefined : fixed(first)
    if (given === undefined) {
      this.add(asks("it runs a command known at run time only"), "it")
      return
    }
    const name = trusted.exec(given)?.[1] ?? given
    const wrapped = CommandWrapper.unwrap(name, args)
    if (wrapped !== undefined) {
      this.wrapped(name, wrapped, depth)
      return
    }
    switch (name) {
      case "cd":
      case "pushd":
      case "popd": {
        const target = args.find(({ text }) => !text?.startsWith("-") || text === "-")
        if (name !== "popd" && target === undefined)
          this.folder = name === "cd" ? this.settings.home : undefined
        else
          this.folder =
            target === undefined || target.text === "-" || target.isGlob ? undefined : this.place(target)
        return
      }
      case "git": {
        const { effect, folders } = GitCommand.judge(args)
        this.add(effect, name)
        if (effect._tag !== "Reads") for (const folder of folders) this.write(folder, name)
        return
      }
      case "find":
      case "sed":
      case "gsed":
      case "awk":
      case "gawk":
      case "mawk":
      case "nawk": {
        const rule =
          name === "find"
            ? ScriptedCommand.find
            : name.endsWith("sed")
              ? ScriptedCommand.sed
              : ScriptedCommand.awk
        const { commands, effect } = rule(args)
        this.add(effect, name)
        for (const inner of commands) if (inner.length > 0) this.run(inner, depth + 1)
        return
      }
    }
    const reading = ReadOnlyCommands.find(name, args)?.(args)
    if (reading?._tag === "Reads") return
    const effect = WritingCommands.find(name, this.settings.home)?.(args) ?? reading
    this.add(effect ?? asks(`${name} is not known to be read-only`), name)
  }

  private wrapped(name: string, wrapped: CommandWrapper.Wrapped, depth: number): void {
    if (this.isTooDeep(depth)) return
    switch (wrapped._tag) {
      case "Nothing":
        return
      case "Unknown":
        this.add(asks(`${name} runs something that is not known`), name)
        return
      case "Elevated":
        this.add(escapes(`it uses ${name}`), name)
        if (wrapped.words.length > 0) this.run(wrapped.words, depth + 1)
        return
      case "Script":
        this.source(wrapped.source, depth + 1)
        return
      case "Command":
        this.run(
          wrapped.extra ? [...wrapped.words, { text: undefined, isGlob: false }] : wrapped.words,
          depth + 1
        )
    }
  }

  source(source: string, depth = 0): void {
    const parsed = parse(source)
    if (Result.isFailure(parsed)) this.add(escapes(`the command cannot be parsed: ${parsed.failure}`), "it")
    else if (depth === 0) this.script(parsed.success, depth)
    else this.subshell(parsed.success, depth)
  }
}

export const judge = (source: string, settings: JudgeSettings): Judgement => {
  const all = new Judge(settings)
  all.source(source)
  return { effect: all.effect, written: [...all.written], named: [...all.named] }
}
