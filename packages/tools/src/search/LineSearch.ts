/** What a pattern to look for is, and how a line that matches is shown. Pure. Matching is `LineSearcher`. */

import { Excerpt } from "@cow/core"
import * as Result from "effect/Result"
import * as Thrown from "../tool/Thrown.ts"

export const maxLineChars = 500
export interface Match {
  /** From 1. */
  readonly line: number
  /** Cut at 500 characters. */
  readonly text: string
}

/** A JavaScript pattern; in the stricter Unicode form where that takes it. */
export const compile = (pattern: string, ignoreCase: boolean): Result.Result<RegExp, string> => {
  const flags = ignoreCase ? "i" : ""
  return Result.try({ try: () => new RegExp(pattern, `${flags}u`), catch: Thrown.messageOf }).pipe(
    (strict) =>
      Result.isSuccess(strict)
        ? strict
        : // `\-` and `\"` are mistakes in the Unicode form only.
          Result.try({ try: () => new RegExp(pattern, flags), catch: Thrown.messageOf })
  )
}

export const cut = (line: string): string =>
  line.length <= maxLineChars ? line : `${Excerpt.head(line, maxLineChars)}... [truncated]`
