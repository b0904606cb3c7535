import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { type PromptSection, PromptSections, type PromptSlot } from "../../src/index.ts"

const context = { persona: "default", permission: "read-only", workspace: "/w", tools: [] } as const
const section = (slot: PromptSlot, id: string, text = id): PromptSection => ({
  id,
  slot,
  stable: true,
  render: () => Effect.succeed(text)
})
const order: ReadonlyArray<PromptSlot> = ["identity", "tools", "skills", "project", "extra", "workspace"]

const run = <A, E>(body: (sections: PromptSections["Service"]) => Effect.Effect<A, E, Scope.Scope>) => {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void log.push(String([message].flat()[0])))])
  return Effect.flatMap(PromptSections, body).pipe(
    Effect.scoped,
    Effect.provide(Layer.merge(PromptSections.layer, logger)),
    Effect.map((value) => ({ value, log })),
    Effect.runPromise
  )
}

describe("render", () => {
  test("gives the slots in their fixed order and ids in order within one, however they were registered", () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(
          order.flatMap((slot) => [section(slot, `${slot} b`), section(slot, `${slot} a`)]),
          { minLength: 12 }
        ),
        async (shuffled) => {
          const { value } = await run((sections) =>
            Effect.gen(function* () {
              for (const one of shuffled) yield* sections.register(one)
              return yield* sections.render(context)
            })
          )
          expect(value.map(({ text }) => text)).toEqual(order.flatMap((slot) => [`${slot} a`, `${slot} b`]))
        }
      ),
      { numRuns: 30 }
    ))

  test("leaves out what has nothing to say and trims the rest", () =>
    run((sections) =>
      Effect.gen(function* () {
        yield* sections.register(section("skills", "none", ""))
        yield* sections.register(section("extra", "blank", " \n "))
        yield* sections.register(section("tools", "some", "\nSay.\n"))
        expect(yield* sections.render(context)).toMatchObject([{ id: "some", slot: "tools", text: "Say." }])
      })
    ))

  test("leaves out a section that dies or throws, logs it by name, and gives the others", async () => {
    const { log } = await run((sections) =>
      Effect.gen(function* () {
        yield* sections.register({ ...section("tools", "dies"), render: () => Effect.die("boom") })
        yield* sections.register({
          ...section("tools", "throws"),
          render: () => {
            throw new Error("bang")
          }
        })
        yield* sections.register(section("skills", "fine"))
        expect((yield* sections.render(context)).map(({ text }) => text)).toEqual(["fine"])
      })
    )
    expect(log).toEqual([
      "prompt section dies is left out: it failed: boom",
      "prompt section throws is left out: it failed: bang"
    ])
  })

  test("asks anew each time, and no more once the scope has closed", () =>
    run((sections) =>
      Effect.gen(function* () {
        let count = 0
        const scope = yield* Scope.make()
        const counting = { ...section("tools", "n"), render: () => Effect.sync(() => `${++count}`) }
        yield* Scope.provide(sections.register(counting), scope)
        const texts = Effect.map(sections.render(context), (rendered) => rendered.map(({ text }) => text))
        expect([yield* texts, yield* texts]).toEqual([["1"], ["2"]])
        yield* Scope.close(scope, Exit.void)
        expect(yield* texts).toEqual([])
      })
    ))

  test("a section registered twice stays until both have gone", () =>
    run((sections) =>
      Effect.gen(function* () {
        const one = section("tools", "one")
        const scope = yield* Scope.make()
        yield* sections.register(one)
        yield* Scope.provide(sections.register(one), scope)
        yield* Scope.close(scope, Exit.void)
        expect((yield* sections.render(context)).length).toBe(1)
      })
    ))
})
