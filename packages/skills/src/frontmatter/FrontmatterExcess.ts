/**
 * Frontmatter that would keep the parser busy for long and be refused in the end: seen by a count of signs, so that it
 * costs nothing. Pure; everything else is `Frontmatter`'s to judge.
 */

export interface Excess {
  /** In the file, from 1. */
  readonly line: number
  readonly message: string
}

/** Brackets open at once; the parser goes down a level for each. */
const maxDepth = 500
/** The same that the parser takes. */
const maxAliases = 100

const anchor = /(?:^|[\s,[{])&[^\s,[\]{}]/m
const alias = /(?<=^|[\s,[{:])\*[^\s,[\]{}*]/gm

const lineAt = (block: string, at: number): number => block.slice(0, at).split("\n").length + 1

/** @param block what stands between the fences */
export const find = (block: string): Excess | undefined => {
  let depth = 0
  for (const { 0: sign, index } of block.matchAll(/[[\]{}]/g)) {
    depth = sign === "[" || sign === "{" ? depth + 1 : Math.max(0, depth - 1)
    if (depth > maxDepth)
      return { line: lineAt(block, index), message: `more than ${maxDepth} levels of brackets` }
  }
  if (!anchor.test(block)) return undefined
  let aliases = 0
  for (const { index } of block.matchAll(alias))
    if (++aliases > maxAliases)
      return { line: lineAt(block, index), message: `more than ${maxAliases} aliases` }
  return undefined
}
