/**
 * One file of servers, remembered: looked at by its stamp, read only when that differs, and parsed only when its
 * text differs. A file that breaks keeps what it said before.
 *
 * What a text means is `McpConfig`; which file counts is `ConfigSource`.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as FileStamp from "./FileStamp.ts"
import * as McpConfig from "./McpConfig.ts"

export interface ServersFile {
  readonly path: string
  /**
   * True when it now says something else.
   *
   * @param force read it, whatever its stamp says
   * @param instead what counts while it is broken from the first look on
   */
  readonly look: (force: boolean, instead: string) => Effect.Effect<boolean>
  /** Absent while there is no file, or none that could be used yet. */
  readonly list: () => McpConfig.ServerList | undefined
  /** What is wrong with the text as it was last read. */
  readonly fault: () => string | undefined
}

interface State {
  readonly stamp: FileStamp.FileStamp
  readonly text: string | undefined
  readonly list: McpConfig.ServerList | undefined
  readonly fault: string | undefined
}

const unseen: State = { stamp: "", text: undefined, list: undefined, fault: undefined }

const noServers = "the servers are no map and no list"
export const servesOn = "the servers stay as they are"

export const make = (
  fs: FileSystem.FileSystem,
  path: string,
  source: McpConfig.ServerSource
): ServersFile => {
  let state = unseen
  let isFirst = true

  const parse = (text: string | undefined): Result.Result<McpConfig.ServerList, string> => {
    if (text === undefined) return Result.fail("it cannot be read")
    return Result.flatMap(McpConfig.ofText(text, source, path), (list) =>
      // From the start it is no servers and a warning; later, a change that breaks the file.
      list.usable || isFirst ? Result.succeed(list) : Result.fail(noServers)
    )
  }

  const look: ServersFile["look"] = (force, instead) =>
    Effect.gen(function* () {
      const before = state
      const stamp = FileStamp.take(path)
      if (stamp === before.stamp && !force) return false
      if (stamp === FileStamp.absent) {
        state = { ...unseen, stamp }
        return before.list !== undefined || before.fault !== undefined
      }
      const read = yield* Effect.result(fs.readFileString(path))
      const text = Result.isSuccess(read) ? read.success : undefined
      if (text !== undefined && text === before.text) {
        state = { ...before, stamp }
        return false
      }
      const parsed = parse(text)
      if (Result.isSuccess(parsed)) {
        state = { stamp, text, list: parsed.success, fault: undefined }
        return true
      }
      state = { stamp, text, list: before.list, fault: parsed.failure }
      yield* Effect.logWarning(`${path} is broken (${parsed.failure}): ${isFirst ? instead : servesOn}`)
      return isFirst
    }).pipe(Effect.tap(() => Effect.sync(() => (isFirst = false))))

  return { path, look, list: () => state.list, fault: () => state.fault }
}
