/**
 * What a step costs between the end of its last tool and the next request, with 10,000 MCP tools: snapshot, gate,
 * selection without an embedder, prompt and window; once where all tools are sent, once where a search by words chooses
 * ten; beside the same with ten tools, in the same run. And the cost of a piece of a reply of 10,000 and 100,000 pieces.
 */
import { Agent } from "@cow/agent"
import { type Model, Models, Model as ModelUsage, Tool, ToolManager, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as InMemory from "./InMemory.ts"
import { percentile, row } from "./Measure.ts"

const toolCount = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 300)
const warmUp = 20

const finish = (reason: Model.FinishReason): Model.ModelEvent => ({
  _tag: "Finish",
  reason,
  usage: ModelUsage.noUsage
})

/** One run against a model that answers with this stream. */
const runOn = Effect.fnUntraced(function* (stream: Model.Model["stream"], maxSteps: number) {
  const models = yield* Models
  const model = { id: "bench/m", takesImages: true, stream }
  yield* models.register({ name: "bench", model: () => Effect.succeed(model) })
  return yield* (yield* Agent).run(request(maxSteps))
}, Effect.scoped)

const request = (maxSteps: number) => ({
  prompt: "close the invoice and tell the contact",
  model: "bench/m",
  persona: "default",
  permission: "full-access" as const,
  workspace: "/nowhere",
  maxSteps
})

const overheads = Effect.gen(function* () {
  let ended = 0
  let at = 0
  const taken: Array<number> = []
  const tick = Tool.make({
    name: "tick",
    description: "Marks the time",
    inputSchema: { type: "object" },
    run: () =>
      Effect.sync(() => {
        ended = performance.now()
        return ToolResult.ok(String(at))
      })
  })
  yield* (yield* ToolManager).register({ _tag: "Builtin" }, [tick])
  const call = { _tag: "ToolCallStart", block: "c", name: "tick" } as const
  const stream = () =>
    Stream.suspend(() => {
      if (ended > 0) taken.push(performance.now() - ended)
      return Stream.fromIterable([{ ...call, id: `call_${++at}` }, finish("tool_calls")])
    })
  yield* runOn(stream, rounds + warmUp)
  return taken.slice(warmUp)
})

/** Microseconds a piece. */
const perPiece = (count: number) =>
  Effect.gen(function* () {
    const pieces = Array.from(
      { length: count },
      () => ({ _tag: "TextDelta", block: "t", text: "word " }) as const
    )
    const began = performance.now()
    const { finished } = yield* runOn(() => Stream.fromIterable([...pieces, finish("stop")]), 1)
    if (finished.text.length !== count * 5)
      throw new Error(`the reply has ${finished.text.length} characters`)
    return ((performance.now() - began) * 1000) / count
  })

const measure = (count: number, selector: InMemory.Selector) => {
  const tools = InMemory.makeTools(count)
  return Effect.runPromise(
    Effect.scoped(Effect.andThen(InMemory.register(tools), overheads)).pipe(
      Effect.provide(InMemory.layer(tools, selector))
    )
  )
}
const base = await measure(10, InMemory.all)
const whole = await measure(toolCount, InMemory.all)
const chosen = await measure(toolCount, InMemory.byWords)
const [short, long] = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      yield* perPiece(10_000)
      return [yield* perPiece(10_000), yield* perPiece(100_000)] as const
    })
  ).pipe(Effect.provide(InMemory.layer([])))
)

const millis = (value: number) => `${value.toFixed(2)} ms`
const held = [
  ["all are sent", whole],
  ["ten are chosen", chosen]
].map(([name, steps]) => {
  const [p50, p99] = [percentile(steps as Array<number>, 0.5), percentile(steps as Array<number>, 0.99)]
  const what = `step overhead at ${toolCount} tools, ${name}`
  const ratio = `${(p50 / percentile(base, 0.5)).toFixed(1)} × that of 10 tools`
  console.log(row(`${what}, p50`, millis(p50), ratio, true))
  console.log(row(`${what}, p99`, millis(p99), "≤ 5 ms", p99 <= 5))
  return p99 <= 5
})
console.log(
  row(
    "step overhead at 10 tools, p50",
    millis(percentile(base, 0.5)),
    `p99 ${millis(percentile(base, 0.99))}`,
    true
  )
)
console.log(row("a piece of a reply of 10,000", `${short.toFixed(1)} µs`, "", true))
console.log(
  row("a piece of a reply of 100,000", `${long.toFixed(1)} µs`, "≤ 2 × that of 10,000", long <= 2 * short)
)
process.exit(held.every(Boolean) && long <= 2 * short ? 0 : 1)
