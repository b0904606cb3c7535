/** The flags of commands that show a long list page by page, and how the next page is named. */
import { Page } from "@cow/core"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { Output } from "../terminal/Output.ts"
import { count } from "./RunFlags.ts"

export const flags = {
  limit: count("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("How many to show at most"),
    Flag.withDefault(100)
  ),
  after: Flag.String("after").pipe(
    Flag.withMetavar("PLACE"),
    Flag.withDescription("Go on where the page before ended"),
    Flag.optional
  )
}

export interface PageFlags {
  readonly limit: number
  readonly after: Option.Option<string>
}

/** Fails with exit 42 for a place that no page has named. */
export const request = ({ after, limit }: PageFlags) =>
  Option.match(after, {
    onNone: () => Effect.succeed<Page.PageRequest>({ limit }),
    onSome: (text) =>
      Option.match(Page.parseCursor(text), {
        onNone: () => Effect.fail(failed(`--after "${text}" is no place in this list`, ExitCode.badInput)),
        onSome: (cursor) => Effect.succeed<Page.PageRequest>({ limit, cursor })
      })
  })

/** In JSON documents. */
export const nextText = (next: Page.Cursor | null): string | null =>
  next === null ? null : Page.cursorText(next)

/** Says how to go on where there is more. */
export const tellNext = (command: string, next: Page.Cursor | null) =>
  next === null
    ? Effect.void
    : Effect.flatMap(Output, (output) =>
        output.note(`cow: there is more: ${command} --after ${Page.cursorText(next)}`)
      )
