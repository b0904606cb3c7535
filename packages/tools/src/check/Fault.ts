/** Where and why a text does not parse, and how that is said. */
export interface Fault {
  /** From 1; `undefined` where the parser does not tell. */
  readonly line: number | undefined
  readonly message: string
}

export const describe = ({ line, message }: Fault): string =>
  line === undefined ? message : `line ${line}: ${message}`
