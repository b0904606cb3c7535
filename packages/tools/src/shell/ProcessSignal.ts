/** Signals by name and number, as a person reads them. This is the layer for node:os, which knows the system's own. */
import { constants } from "node:os"

export interface ProcessSignal {
  readonly name: string
  readonly number: number
}

const all: ReadonlyArray<ProcessSignal> = Object.entries(constants.signals).map(([name, number]) => ({
  name,
  number
}))

export const named = (name: string): ProcessSignal | undefined => all.find((signal) => signal.name === name)

/** What a shell means by an exit code over 128. */
export const fromExitCode = (code: number): ProcessSignal | undefined =>
  all.find(({ number }) => number === code - 128)

export const describe = ({ name, number }: ProcessSignal): string => `killed by signal ${number} (${name})`
