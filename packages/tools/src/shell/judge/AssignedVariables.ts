/**
 * The variables of one shell text: which ones it gives values, which ones it computes with. Which names are
 * dangerous is `ShellVariables`.
 */
import type { ShellWord } from "../syntax/ShellWord.ts"
import * as ShellVariables from "./ShellVariables.ts"

export class AssignedVariables {
  private readonly assigned = new Set<string>()
  /** Those of them that hold other things than numbers. */
  private readonly texts = new Set<string>()
  private readonly numbers = new Set<string>()

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  set(name: string, isNumber: boolean): void {
    this.assigned.add(name)
    if (!isNumber) this.texts.add(name)
  }

  isSet(name: string): boolean {
    return this.assigned.has(name)
  }

  /** The shell computes with these: what they hold is evaluated, commands in it and all. */
  compute(names: ReadonlyArray<string>): void {
    for (const name of names) this.numbers.add(name)
  }

  /**
   * A word of `[`: `-v` among words that come from elsewhere makes it evaluate the next one. True where nobody can
   * say what they are.
   */
  testsUnclearly(parts: ShellWord["parts"]): boolean {
    for (const part of parts) if (part._tag === "Variable" && !part.quoted) this.compute([part.name])
    return parts.some((part) => part._tag === "Unknown" && part.splits === true)
  }

  /** The value, where it is certain. */
  valueOf(name: string): string | undefined {
    return this.assigned.has(name) || ShellVariables.isShellOwn(name) ? undefined : this.env[name]
  }

  /** Those computed with that may hold a command, or that nobody should set. */
  doubtful(): ReadonlyArray<string> {
    return [...this.numbers].filter((name) => {
      const given = this.assigned.has(name) ? "" : (this.env[name] ?? "")
      return this.texts.has(name) || !/^-?\d*$/.test(given) || ShellVariables.isRisky(name)
    })
  }
}
