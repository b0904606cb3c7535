/** 1,000 sessions at once against a model on loopback: every run must complete; memory a session, errors, time. */
import { Agent } from "@cow/agent"
import { ModelProviders } from "@cow/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as InMemory from "./InMemory.ts"
import { row, startModel } from "./Measure.ts"

const count = Number(process.argv[2] ?? 1_000)
const wire = startModel()
const tools = InMemory.makeTools(200)
const memory = () => {
  Bun.gc(true)
  return process.memoryUsage().rss
}

const work = Effect.gen(function* () {
  yield* InMemory.register(tools)
  const agent = yield* Agent
  const run = (id: string) =>
    agent.run({
      prompt: "hello",
      sessionId: id,
      model: "bench/m",
      persona: "default",
      permission: "full-access",
      workspace: "/nowhere",
      maxSteps: 3
    })
  yield* run("first")
  const before = memory()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const began = performance.now()
  const outcomes = yield* Effect.forEach(
    Array.from({ length: count }, (_, at) => `s${at}`),
    (id) => Effect.exit(run(id)),
    { concurrency: "unbounded" }
  )
  const seconds = (performance.now() - began) / 1000
  clearInterval(watch)
  const failed = outcomes.filter(
    (exit) => exit._tag === "Failure" || exit.value.finished.status !== "completed"
  ).length
  return {
    failed,
    seconds,
    perSession: (peak - before) / count / 1024 / 1024,
    kept: (memory() - before) / count / 1024 / 1024
  }
})

const target = wire.config.providers.bench
const providers = ModelProviders.layer({
  providers: {
    bench: { type: "anthropic", baseUrl: target.base_url, apiKey: Redacted.make(target.api_key) }
  },
  environment: {}
}).pipe(Layer.provideMerge(InMemory.layer(tools)))
const { failed, kept, perSession, seconds } = await Effect.runPromise(
  Effect.scoped(work).pipe(Effect.provide(providers))
)
wire.stop()
console.log(row(`${count} sessions at once`, `${seconds.toFixed(1)} s`, "", true))
console.log(row("runs that did not complete", String(failed), "0", failed === 0))
console.log(row("memory a session, at the peak", `${perSession.toFixed(2)} MB`, "≤ 1 MB", perSession <= 1))
console.log(row("memory a session, afterwards", `${kept.toFixed(3)} MB`, "", true))
process.exit(failed === 0 && perSession <= 1 ? 0 : 1)
