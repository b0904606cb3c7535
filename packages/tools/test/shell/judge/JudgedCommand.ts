/** What the judge says of a command by its text alone: paths below the workspace count as inside. */
import { resolve } from "node:path"
import * as CommandJudge from "../../../src/shell/judge/CommandJudge.ts"

const workspace = "/w/work"

export const verdict = (command: string): string => {
  const { effect, written } = CommandJudge.judge(command, {
    workspace,
    home: "/home/u",
    env: { HOME: "/home/u", SAFE: "sub", PATH: "/bin" },
    resolve
  })
  const outside = written.some((path) => path !== workspace && !path.startsWith(`${workspace}/`))
  if (effect._tag === "Never" || effect._tag === "Escapes") return effect._tag
  if (outside) return "Escapes"
  return written.length > 0 ? "Asks" : effect._tag
}
