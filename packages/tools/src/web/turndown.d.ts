/** Types of what is used of `turndown`, which brings none. */
declare module "turndown" {
  interface Rule<N> {
    readonly filter: string | ReadonlyArray<string> | ((node: N) => boolean)
    readonly replacement: (content: string, node: N) => string
  }
  export default class TurndownService<N> {
    constructor(options?: Readonly<Record<string, unknown>>)
    escape: (text: string) => string
    addRule(key: string, rule: Rule<N>): this
    turndown(node: N): string
  }
}
