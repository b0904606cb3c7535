/** Who holds the name of a skill that is to be installed, and what would have to give way. Pure. */
import * as Result from "effect/Result"
import type { SkillSource } from "../manifest/Skill.ts"
import { type InstallRefused, refuse } from "./InstallRefused.ts"

export interface NameHolder {
  readonly name: string
  /** Absolute path of its file. */
  readonly path: string
  readonly source: SkillSource
}

/** True for a file below the user's own folder of skills, the only one that is ever written. */
export const isOwn = (root: string, holder: NameHolder): boolean =>
  holder.source === "user" && (holder.path.startsWith(`${root}/`) || holder.path.startsWith(`${root}\\`))

/**
 * The holder that gives way, or null where the name is free. Fails with `skill_exists` and the path that holds it.
 *
 * @param root absolute path of the user's folder of skills
 */
export const giveWay = (
  name: string,
  holders: ReadonlyArray<NameHolder>,
  root: string,
  force: boolean
): Result.Result<NameHolder | null, InstallRefused> => {
  const held = holders.filter(
    (one) => one.name === name && (one.source === "user" || one.source === "builtin")
  )
  const own = held.find((one) => isOwn(root, one))
  const first = own ?? held.find(({ source }) => source === "user") ?? held[0]
  if (first === undefined) return Result.succeed(null)
  if (own !== undefined && force) return Result.succeed(own)
  const why =
    own !== undefined
      ? "it is replaced only with --force"
      : first.source === "builtin"
        ? "a built-in skill is never replaced"
        : "it belongs to another program and is never replaced"
  return Result.fail(refuse("skill_exists", `the name "${name}" is held by ${first.path}: ${why}`))
}
