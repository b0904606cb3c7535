/** The end of a command that was given a name of nothing: one line with a near name and where to look, exit 42. Pure. */
import { NearNames } from "@cow/core"
import { type CommandFailed, ExitCode, failed } from "./ExitCode.ts"

/** How each kind of thing is listed. */
const lists = {
  run: "cow runs list",
  session: "cow session list",
  persona: "cow persona list",
  skill: "cow skill list",
  tool: "cow tools list"
}

/** `names`: those that there are. */
export const noSuch = (kind: keyof typeof lists, name: string, names: Iterable<string>): CommandFailed =>
  failed(
    `there is no ${kind} ${JSON.stringify(name)}${NearNames.hint(name, names)}; see ${lists[kind]}`,
    ExitCode.badInput
  )
