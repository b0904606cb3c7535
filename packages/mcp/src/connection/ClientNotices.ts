/**
 * What the MCP client prints on the console, in the log: a terminal belongs to the chat. Whatever else is printed
 * there goes its way.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const mark = "[mcp-sdk] "

/** Whose log it is: that of the fiber that asked for the client last. */
let context = Context.empty()
let isTaken = false

/** A cause quotes answers of a server, which may hold a token; the failure itself is told where it arises. */
const withoutCause = (text: string): string => text.slice(mark.length).split(" Cause: ")[0] ?? ""

const take = (): void => {
  if (isTaken) return
  isTaken = true
  const print = console.warn
  console.warn = (...given: ReadonlyArray<unknown>) => {
    const [text] = given
    if (typeof text !== "string" || !text.startsWith(mark)) return print(...given)
    Effect.runForkWith(context)(Effect.logInfo(`MCP client: ${withoutCause(text)}`))
  }
}

/** Called before the client is used. */
export const intoLog: Effect.Effect<void> = Effect.map(Effect.context<never>(), (mine) => {
  context = mine
  take()
})
