/** `todo`: the plan of a session as a list, kept in memory for as long as the process lives, and shown back. */
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { failed } from "../tool/CallFailure.ts"

const maxItems = 200
/** Sessions remembered; then the one that has not used its list for longest is forgotten. */
const maxSessions = 1000

const Item = Schema.Struct({
  text: Schema.String.annotate({ description: "What is to be done, in one line." }),
  status: Schema.optionalKey(
    Schema.Literals(["pending", "in_progress", "done"]).annotate({ description: "pending if absent." })
  )
})
type Item = typeof Item.Type

const Input = Schema.Struct({
  items: Schema.optionalKey(
    Schema.Array(Item).annotate({
      description: "The whole list, in order: it replaces the one before. Absent: only show the list."
    })
  )
})

const marks = { pending: " ", in_progress: ">", done: "x" } as const

const show = (items: ReadonlyArray<Item>): string => {
  if (items.length === 0) return "[the list is empty]"
  const done = items.filter(({ status }) => status === "done").length
  const rows = items.map(({ status = "pending", text }, at) => `${at + 1}. [${marks[status]}] ${text.trim()}`)
  return [...rows, `[${done} of ${items.length} done]`].join("\n")
}

export const make = Effect.sync(() => {
  const lists = new Map<string, ReadonlyArray<Item>>()

  const keep = (session: string, items: ReadonlyArray<Item>) => {
    lists.delete(session)
    lists.set(session, items)
    const [oldest] = lists.keys()
    if (lists.size > maxSessions && oldest !== undefined) lists.delete(oldest)
  }

  return BuiltinTool.make({
    name: "todo",
    description:
      "Keeps the plan of this session: give the whole list whenever it changes, one item in_progress at a time. Answers with the list. For work of several steps only.",
    input: Input,
    mildest: BuiltinTool.reads,
    run: Effect.fn("TodoTool.run")(function* ({ items }, { sessionId }) {
      const now = items ?? lists.get(sessionId) ?? []
      if (now.length > maxItems) return yield* failed(`todo: ${now.length} items are over ${maxItems}`)
      const blank = now.findIndex(({ text }) => text.trim() === "")
      if (blank >= 0) return yield* failed(`todo: items[${blank}].text is blank`)
      keep(sessionId, now)
      const rows = now.map(({ status = "pending", text }) => ({ text, status }))
      return ToolResult.ok(show(now), { structured: { items: rows } })
    })
  })
})
