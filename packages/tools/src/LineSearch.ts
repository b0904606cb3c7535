/**
 * Which lines of a text match a pattern. Pure but for the clock handed in: a pattern that backtracks without end
 * must not hold the search for longer than its time.
 */

import { Excerpt } from "@cow/core"
import * as Result from "effect/Result"

const maxLineChars = 500
/** A line that takes longer was given up on by the engine, or nearly so. */
const slowMillis = 250

export interface Match {
  /** From 1. */
  readonly line: number
  /** Cut at 500 characters. */
  readonly text: string
}

export interface LineMatches {
  readonly matches: ReadonlyArray<Match>
  readonly slowLines: number
  /** False: the time was up before the last line. */
  readonly complete: boolean
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A JavaScript pattern; in the stricter Unicode form where that takes it. */
export const compile = (pattern: string, ignoreCase: boolean): Result.Result<RegExp, string> => {
  const flags = ignoreCase ? "i" : ""
  return Result.try({ try: () => new RegExp(pattern, `${flags}u`), catch: messageOf }).pipe((strict) =>
    Result.isSuccess(strict)
      ? strict
      : // `\-` and `\"` are mistakes in the Unicode form only.
        Result.try({ try: () => new RegExp(pattern, flags), catch: messageOf })
  )
}

export const cut = (line: string): string =>
  line.length <= maxLineChars ? line : `${Excerpt.head(line, maxLineChars)}... [truncated]`

/** Searches until `now()` reaches `deadline`. Both in milliseconds. */
export const search = (text: string, pattern: RegExp, now: () => number, deadline: number): LineMatches => {
  const matches: Array<Match> = []
  let slowLines = 0
  let line = 0
  let before = now()
  const body = text.endsWith("\n") ? text.slice(0, -1) : text
  if (text === "") return { matches, slowLines, complete: true }
  for (const raw of body.split("\n")) {
    line++
    const row = raw.endsWith("\r") ? raw.slice(0, -1) : raw
    if (pattern.test(row)) matches.push({ line, text: cut(row) })
    const after = now()
    if (after - before > slowMillis) slowLines++
    if (after >= deadline) return { matches, slowLines, complete: false }
    before = after
  }
  return { matches, slowLines, complete: true }
}
