/** The limits of a run, each a reference with a default; the units stand in the names. */
import * as Context from "effect/Context"

const limit = <const A>(name: string, value: A) =>
  Context.Reference<A extends number ? number : A extends string ? string : A>(
    `@cow/agent/AgentLimits/${name}`,
    {
      defaultValue: () => value as never
    }
  )

/** Rounds of tool calls of a worker, and never more than its parent's run may do. */
export const maxWorkerSteps = limit("maxWorkerSteps", 20)

/** A longer tool result is cut in the middle and saved whole. */
export const maxResultChars = limit("maxResultChars", 50_000)

/** Folder for whole results. `""`: they are not saved, and the notice says so. */
export const resultFolder = limit("resultFolder", "")

/** A tool that changes nothing and has no limit of its own ends as `timeout` after these. */
export const readToolSeconds = limit("readToolSeconds", 20)

/** The same for a tool that may change something. */
export const writeToolSeconds = limit("writeToolSeconds", 60)

/**
 * What a run's first request waits for servers that are still starting, and each session once for one: enough for a
 * healthy one on this machine. 0: no wait.
 */
export const serverStartMillis = limit("serverStartMillis", 1_200)

/** What is waited for a server that is still starting when a tool of it is called, or named in the message. */
export const serverCallSeconds = limit("serverCallSeconds", 10)

/** Calls of one step that run at the same time. */
export const maxParallelCalls = limit("maxParallelCalls", 10)

/** The history is trimmed or compacted above it. Estimated, four bytes a token. */
export const contextTokens = limit("contextTokens", 64_000)

/** A turn is a user's message with all that answers it. */
export const contextTurns = limit("contextTurns", 30)

/** A model's summary of what a request had no room for may take so long; then its first words are taken in its place. */
export const summarySeconds = limit("summarySeconds", 60)

/** A longer summary is cut. */
export const maxSummaryChars = limit("maxSummaryChars", 6_000)

/** A result of an earlier turn is cut to this in requests; the stored one stays whole. */
export const maxEarlierResultChars = limit("maxEarlierResultChars", 20_000)

/** A provider that asks for a longer wait ends the run. */
export const maxRetryWaitSeconds = limit("maxRetryWaitSeconds", 120)

export const maxSteerChars = limit("maxSteerChars", 8_000)

/** Steering texts that wait for the next step. */
export const maxPendingSteers = limit("maxPendingSteers", 16)

/** Text of a result in its `tool_finished` event. */
export const maxEventChars = limit("maxEventChars", 2_000)
