/**
 * Goes through a shell text command by command, as the shell would reach them, and notes in `CommandFindings` what
 * each does. What a command does by its name is `CommandRules`, what the whole means `CommandJudge`. Pure.
 */
import * as Result from "effect/Result"
import type { ParsedScript } from "unbash"
import { type ShellRedirect, type SimpleCommand, simpleOf } from "../syntax/ShellSimple.ts"
import { type Chain, chainsOf, groupOf, type ShellStep } from "../syntax/ShellStep.ts"
import { faultIn, isPortable, parse } from "../syntax/ShellText.ts"
import { bare, isNumber, type ShellWord } from "../syntax/ShellWord.ts"
import type { AssignedVariables } from "./AssignedVariables.ts"
import { asks, escapes, never } from "./CommandEffect.ts"
import { CommandFindings } from "./CommandFindings.ts"
import * as CommandRules from "./CommandRules.ts"
import { type CommandWord, expand, fixed } from "./CommandWord.ts"
import * as CommandWrapper from "./CommandWrapper.ts"
import * as ShellVariables from "./ShellVariables.ts"
import * as WorkingFolder from "./WorkingFolder.ts"
import * as WritingCommands from "./WritingCommands.ts"

export interface WalkSettings {
  /** Absolute. Relative paths start here until the text changes its folder. */
  readonly workspace: string
  readonly home: string
  readonly resolve: WorkingFolder.Resolve
}

/** Commands inside commands. */
const maxDepth = 20
/** Folders that a text may be in at one place. */
const maxFolders = 32
/** Where a program named by its path is the one of that name. */
const trusted = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/

export class ScriptWalk {
  readonly found: CommandFindings
  /** True: where the commands run is followed no more. */
  private isLost = false

  constructor(
    private readonly settings: WalkSettings,
    readonly variables: AssignedVariables
  ) {
    this.found = new CommandFindings(settings.workspace, settings.resolve)
  }

  private expand(word: ShellWord): CommandWord {
    for (const part of word.parts) {
      if (part._tag !== "Unknown") continue
      if (part.script !== undefined) this.subshell(part.script)
      if (part.evaluates === true) this.found.add(asks("it evaluates what variables hold"), "it")
      if (part.doubt !== undefined) this.found.add(asks(part.doubt), "it")
      this.variables.compute(part.numbers ?? [])
    }
    return expand(word, {
      home: this.settings.home,
      valueOf: (name) => {
        const isHere = name === "PWD" && !this.variables.isSet(name)
        return isHere ? WorkingFolder.only(this.found.here) : this.variables.valueOf(name)
      }
    })
  }

  /** A variable gets a value. */
  private set(name: string, isNumber: boolean): void {
    this.variables.set(name, isNumber)
    if (ShellVariables.isRisky(name)) this.found.add(asks(`it sets ${name}`), name)
  }

  private isTooDeep(depth: number): boolean {
    if (depth > maxDepth) this.found.add(escapes("it is nested too deeply to be judged"), "it")
    return depth > maxDepth
  }

  private subshell(tree: ParsedScript, depth = 0): void {
    const { here } = this.found
    this.script(tree, depth)
    this.found.here = here
  }

  /** A tree with errors may mean anything. */
  private script(tree: ParsedScript, depth: number): void {
    const fault = faultIn(tree)
    if (fault === undefined) this.chains(chainsOf(tree), depth)
    else this.found.add(escapes(`the command cannot be parsed: ${fault}`), "it")
  }

  private chains(chains: ReadonlyArray<Chain>, depth: number): void {
    if (!this.isTooDeep(depth)) for (const chain of chains) this.chain(chain, depth)
  }

  /** Commands joined by `&&`, `||` and `|`. */
  private chain(steps: Chain, depth: number): void {
    const before = this.found.here
    steps.forEach((step, at) => {
      const { here } = this.found
      const previous = steps[at - 1]?.joint
      this.step(step, depth)
      // Only what is surely reached, in this shell, and surely went well has surely changed the folder.
      const isSure = step.joint === "&&" && !step.negated && (previous === undefined || previous === "&&")
      if (!isSure && this.found.here !== here) this.found.here = WorkingFolder.either(here, this.found.here)
    })
    if (this.found.here !== before)
      this.found.here = steps.at(-1)?.joint === "&" ? before : WorkingFolder.either(before, this.found.here)
    if (this.found.here.folders.size <= maxFolders) return
    this.found.add(escapes("it changes the folder too often to be judged"), "it")
    this.found.here = WorkingFolder.at(this.settings.workspace)
    this.isLost = true
  }

  private step({ node }: ShellStep, depth: number): void {
    if (node.type === "Command") {
      this.simple(simpleOf(node), depth)
      return
    }
    const { body, redirects, sets, subshell, words } = groupOf(node)
    for (const word of words) this.found.name(this.expand(word))
    for (const name of sets) this.set(name, false)
    this.redirects(redirects)
    const { here } = this.found
    this.chains(body, depth + 1)
    if (subshell) this.found.here = here
    else if (this.found.here !== here) this.found.here = WorkingFolder.either(here, this.found.here)
  }

  private redirects(redirects: ReadonlyArray<ShellRedirect>): void {
    for (const { operator, sets, target } of redirects) {
      const word = this.expand(target)
      if (sets !== undefined) this.set(sets, true)
      this.found.redirect(operator, word)
    }
  }

  private simple(command: SimpleCommand, depth: number): void {
    for (const { name, value } of command.assignments) {
      const word = this.expand(value)
      this.found.name(word)
      this.set(name, isNumber(value))
    }
    this.redirects(command.redirects)
    if (/^(?:test|\[)$/.test(command.words[0] === undefined ? "" : (bare(command.words[0]) ?? "")))
      for (const { parts } of command.words)
        if (this.variables.testsUnclearly(parts))
          this.found.add(asks("it tests words known at run time only"), "it")
    const words = command.words.map((word) => this.expand(word))
    for (const word of words) this.found.name(word)
    if (words.length === 0) return
    this.run(words, depth)
    this.heredocs(words, command.redirects, depth)
  }

  /** A shell that reads its script from here. */
  private heredocs(
    words: ReadonlyArray<CommandWord>,
    redirects: ReadonlyArray<ShellRedirect>,
    depth: number
  ): void {
    const [first, ...args] = words
    if (first === undefined || !CommandWrapper.isShell(fixed(first) ?? "")) return
    if (args.some(({ text }) => text?.startsWith("-") !== true)) return
    for (const { operator, target } of redirects) {
      const { text } = this.expand(target)
      if ((operator === "<<" || operator === "<<<") && text !== undefined)
        this.source(text, depth + 1, fixed(first) === "bash")
    }
  }

  private run(words: ReadonlyArray<CommandWord>, depth: number): void {
    const [first, ...args] = words
    const given = first === undefined ? undefined : fixed(first)
    if (given === undefined) {
      this.found.add(asks("it runs a command known at run time only"), "it")
      return
    }
    const name = trusted.exec(given)?.[1] ?? given
    const wrapped = CommandWrapper.unwrap(name, args)
    if (wrapped !== undefined) {
      this.wrapped(name, wrapped, depth)
      return
    }
    if (name === "cd" || name === "pushd" || name === "popd") {
      if (!this.isLost)
        this.found.here = WorkingFolder.afterCommand(this.found.here, name, args, this.settings)
      return
    }
    const setting = ShellVariables.setting(name, args)
    for (const variable of setting?.names ?? []) this.set(variable, false)
    if (setting?.isUnclear === true)
      this.found.add(asks(`${name} sets something known at run time only`), name)
    if (name === "rm" && this.found.here.folders.has("/") && WritingCommands.deletesAllHere(args))
      this.found.add(never("it would delete the whole file system"), name)
    const { commands, effects } = CommandRules.judge(name, args, this.settings.home)
    for (const effect of effects) this.found.add(effect, name)
    for (const inner of commands) this.run(inner, depth + 1)
  }

  private wrapped(name: string, wrapped: CommandWrapper.Wrapped, depth: number): void {
    if (this.isTooDeep(depth)) return
    switch (wrapped._tag) {
      case "Nothing":
        return
      case "Unknown":
        this.found.add(asks(`${name} runs something that is not known`), name)
        return
      case "Elevated":
        this.found.add(escapes(`it uses ${name}`), name)
        if (wrapped.words.length > 0) this.run(wrapped.words, depth + 1)
        return
      case "Script":
        this.source(wrapped.source, depth + 1, wrapped.byBash)
        return
      case "Command": {
        const { here } = this.found
        if (wrapped.folder !== undefined)
          this.found.here = WorkingFolder.change(here, fixed(wrapped.folder), this.settings.resolve)
        this.run(
          wrapped.extra ? [...wrapped.words, { text: undefined, isGlob: false }] : wrapped.words,
          depth + 1
        )
        if (wrapped.folder !== undefined) this.found.here = here
      }
    }
  }

  source(source: string, depth = 0, byBash = true): void {
    if (!byBash && !isPortable(source))
      this.found.add(asks("it is no script that every shell reads alike"), "it")
    const parsed = parse(source)
    if (Result.isFailure(parsed))
      this.found.add(escapes(`the command cannot be parsed: ${parsed.failure}`), "it")
    else if (depth === 0) this.script(parsed.success, depth)
    else this.subshell(parsed.success, depth)
  }
}
