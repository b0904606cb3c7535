/**
 * Which of several skills of one name counts: project before user before plugin before builtin, then the order of the
 * roots, then the path. Pure. The losers are reported, and an untrusted copy beats nobody.
 */
import { Diagnostic } from "@cow/core"
import type { ShadowedSkill, SkillSource } from "../manifest/Skill.ts"
import { compare, sortBy } from "./CodePointOrder.ts"

export interface Candidate {
  readonly name: string
  readonly path: string
  readonly source: SkillSource
  readonly trusted: boolean
  /** Place of its root among all roots, lower first. */
  readonly root: number
}

export interface Settled<A extends Candidate> {
  /** One a name, sorted by name. */
  readonly winners: ReadonlyArray<A>
  readonly shadowed: ReadonlyArray<ShadowedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

const rank: Record<SkillSource, number> = { project: 0, user: 1, plugin: 2, builtin: 3 }

const inOrder = (left: Candidate, right: Candidate): number =>
  Number(right.trusted) - Number(left.trusted) ||
  rank[left.source] - rank[right.source] ||
  left.root - right.root ||
  compare(left.path, right.path)

export const settle = <A extends Candidate>(candidates: Iterable<A>): Settled<A> => {
  const byName = Map.groupBy(candidates, ({ name }) => name)
  const winners: Array<A> = []
  const shadowed: Array<ShadowedSkill> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  for (const name of sortBy(byName.keys(), (key) => key)) {
    const [winner, ...losers] = (byName.get(name) as Array<A>).sort(inOrder) as [A, ...Array<A>]
    winners.push(winner)
    for (const loser of losers) {
      const { path, source } = loser
      shadowed.push({ name, path, source, by: winner.path, reason: reasonOf(winner, loser) })
      if (loser.root === winner.root)
        diagnostics.push(
          Diagnostic.warning(
            path,
            `the name "${name}" is taken by ${winner.path} in the same folder of skills`
          )
        )
    }
  }
  return {
    winners,
    shadowed: shadowed.sort(
      (left, right) => compare(left.name, right.name) || compare(left.path, right.path)
    ),
    diagnostics
  }
}

const reasonOf = (winner: Candidate, loser: Candidate): string => {
  if (!loser.trusted && winner.trusted) return "untrusted"
  return winner.source === loser.source
    ? `duplicate in ${loser.source}`
    : `${winner.source} before ${loser.source}`
}
