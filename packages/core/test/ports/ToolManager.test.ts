import { describe, expect, test } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { ToolManager, type ToolTable } from "../../src/index.ts"
import { builtin, plugin, server, someTool } from "../SomeTool.ts"

const run = <A, E>(body: (manager: ToolManager["Service"]) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.flatMap(ToolManager, body).pipe(Effect.scoped, Effect.provide(ToolManager.layer), Effect.runPromise)

const names = (table: ToolTable.ToolTable) => table.tools.map(({ tool }) => tool.name)

/** A registration that can be closed by hand. */
const registered = (
  manager: ToolManager["Service"],
  source: ToolTable.ToolSource,
  tools: ReadonlyArray<ReturnType<typeof someTool>>
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const registration = yield* Scope.provide(manager.register(source, tools), scope)
    return { ...registration, close: Scope.close(scope, Exit.void) }
  })

/** `size` tools of a server. */
const toolsOf = (name: string, size: number) =>
  Array.from({ length: size }, (_, n) => someTool(`mcp__${name}__t${n}`))

describe("register", () => {
  test("publishes all tools at once and takes them back when the scope closes", () =>
    run((manager) =>
      Effect.gen(function* () {
        const one = yield* registered(manager, builtin, [someTool("read"), someTool("ls")])
        const before = yield* manager.snapshot
        const two = yield* registered(manager, server("a"), toolsOf("a", 2))
        expect(names(yield* manager.snapshot)).toEqual(["ls", "read", "mcp__a__t0", "mcp__a__t1"])
        yield* two.close
        expect(names(yield* manager.snapshot)).toEqual(["ls", "read"])
        yield* one.close
        expect(names(yield* manager.snapshot)).toEqual([])
        // What was taken before stays as it was.
        expect(names(before)).toEqual(["ls", "read"])
      })
    ))

  test("closing twice is closing once", () =>
    run((manager) =>
      Effect.gen(function* () {
        const one = yield* registered(manager, server("a"), toolsOf("a", 1))
        yield* one.close
        const { revision } = yield* manager.snapshot
        yield* one.close
        expect((yield* manager.snapshot).revision).toBe(revision)
      })
    ))

  test("a name that was refused is had as soon as its holder goes", () =>
    run((manager) =>
      Effect.gen(function* () {
        const first = yield* registered(manager, plugin("first", 0), [someTool("foo")])
        const second = yield* registered(manager, plugin("second", 1), [someTool("foo")])
        expect((yield* second.refused).map(({ name, reason }) => [name, reason])).toEqual([["foo", "taken"]])
        expect(yield* first.refused).toEqual([])
        yield* first.close
        expect(yield* second.refused).toEqual([])
        expect((yield* manager.snapshot).byName.get("foo")?.source).toEqual(plugin("second", 1))
      })
    ))

  test("a snapshot costs nothing: it is the same value until something changes", () =>
    run((manager) =>
      Effect.gen(function* () {
        yield* manager.register(builtin, [someTool("read")])
        expect(yield* manager.snapshot).toBe(yield* manager.snapshot)
      })
    ))
})

describe("replace", () => {
  test("puts other tools in place of the old ones in one step, and tells which were refused", () =>
    run((manager) =>
      Effect.gen(function* () {
        yield* manager.register(builtin, [someTool("read")])
        const one = yield* registered(manager, plugin("p"), [someTool("old")])
        const before = yield* manager.snapshot
        const refused = yield* one.replace([someTool("new"), someTool("read")])
        expect(refused.map(({ name }) => name)).toEqual(["read"])
        const after = yield* manager.snapshot
        expect(names(after)).toEqual(["read", "new"])
        expect(after.revision).toBe(before.revision + 1)
      })
    ))

  test("after its scope has closed it does nothing", () =>
    run((manager) =>
      Effect.gen(function* () {
        const one = yield* registered(manager, server("a"), toolsOf("a", 1))
        yield* one.close
        expect(yield* one.replace(toolsOf("a", 3))).toEqual([])
        expect(names(yield* manager.snapshot)).toEqual([])
      })
    ))
})

describe("under concurrency", () => {
  test("no snapshot ever holds a part of a registration, and in the end only what is open is there", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            size: fc.integer({ min: 1, max: 5 }),
            waits: fc.array(fc.nat({ max: 6 }), { minLength: 3, maxLength: 3 }),
            stays: fc.boolean()
          }),
          { minLength: 1, maxLength: 12 }
        ),
        (plans) =>
          run((manager) =>
            Effect.gen(function* () {
              yield* manager.register(builtin, [someTool("read")])
              const halves: Array<string> = []
              let reading = true
              const reader = Effect.gen(function* () {
                while (reading) {
                  const { byName, tools } = yield* manager.snapshot
                  if (byName.get("read") === undefined || byName.size !== tools.length) halves.push("broken")
                  for (const [at, { size }] of plans.entries()) {
                    const count = tools.filter(({ tool }) => tool.name.startsWith(`mcp__s${at}__`)).length
                    // A plan has `size` tools, then twice as many, or none.
                    if (![0, size, size * 2].includes(count)) halves.push(`s${at}: ${count} of ${size}`)
                  }
                  yield* Effect.yieldNow
                }
              })
              const pause = (times = 0) => Effect.repeat(Effect.yieldNow, { times })
              const readers = yield* Effect.forkChild(
                Effect.all([reader, reader, reader], { concurrency: "unbounded" })
              )
              yield* Effect.forEach(
                [...plans.entries()],
                ([at, { size, stays, waits }]) =>
                  Effect.gen(function* () {
                    yield* pause(waits[0])
                    const one = yield* registered(manager, server(`s${at}`), toolsOf(`s${at}`, size))
                    yield* pause(waits[1])
                    yield* one.replace(toolsOf(`s${at}`, size * 2))
                    yield* pause(waits[2])
                    if (!stays) yield* Effect.all([one.close, one.close], { concurrency: "unbounded" })
                  }),
                { concurrency: "unbounded" }
              )
              reading = false
              yield* Fiber.join(readers)
              expect(halves).toEqual([])
              const open = plans.flatMap(({ size, stays }, at) =>
                stays ? toolsOf(`s${at}`, size * 2).map(({ name }) => name) : []
              )
              expect(names(yield* manager.snapshot)).toEqual(["read", ...open.sort()])
            })
          )
      ),
      { numRuns: 60 }
    ))

  test("the same servers connecting in random orders give the same bytes", () =>
    fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([..."abcdefgh"], { minLength: 8 }), (order) =>
        run((manager) =>
          Effect.gen(function* () {
            yield* Effect.forEach(order, (name) => manager.register(server(name), toolsOf(name, 2)), {
              concurrency: "unbounded"
            })
            const sent = (yield* manager.snapshot).tools.map(
              ({ tool: { description, inputSchema, name } }) => ({
                name,
                description,
                inputSchema
              })
            )
            expect(JSON.stringify(sent.map(({ name }) => name))).toBe(
              JSON.stringify([..."abcdefgh"].flatMap((name) => toolsOf(name, 2).map((tool) => tool.name)))
            )
          })
        )
      ),
      { numRuns: 100 }
    ))

  test("a registration that is interrupted leaves nothing behind", () =>
    run((manager) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          Effect.scoped(Effect.andThen(manager.register(server("a"), toolsOf("a", 2)), Effect.never))
        )
        yield* Effect.yieldNow
        expect(names(yield* manager.snapshot).length).toBe(2)
        yield* Fiber.interrupt(fiber)
        expect(names(yield* manager.snapshot)).toEqual([])
      })
    ))
})

describe("changes", () => {
  test("tell each change once and in order, and nothing for what changes nothing", () =>
    run((manager) =>
      Effect.gen(function* () {
        yield* manager.register(builtin, [someTool("read")])
        const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(manager.changes, 3)))
        yield* Effect.yieldNow
        const one = yield* registered(manager, server("a"), toolsOf("a", 2))
        yield* registered(manager, plugin("p"), [someTool("read")])
        yield* one.replace([someTool("mcp__a__t1"), someTool("mcp__a__t9")])
        yield* one.close
        expect([...(yield* Fiber.join(heard))]).toEqual([
          { added: ["mcp__a__t0", "mcp__a__t1"], removed: [] },
          { added: ["mcp__a__t9"], removed: ["mcp__a__t0"] },
          { added: [], removed: ["mcp__a__t1", "mcp__a__t9"] }
        ])
      })
    ))

  test("folded over many fibers' work they give the last snapshot", () =>
    run((manager) =>
      Effect.gen(function* () {
        const present = new Set<string>()
        const wrong: Array<string> = []
        const listener = yield* Effect.forkChild(
          Stream.runForEach(manager.changes, ({ added, removed }) =>
            Effect.sync(() => {
              for (const name of added) if (!present.add(name)) wrong.push(name)
              for (const name of removed) if (!present.delete(name)) wrong.push(name)
            })
          )
        )
        yield* Effect.yieldNow
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, n) => n),
          (n) =>
            Effect.gen(function* () {
              const one = yield* registered(manager, server(`s${n % 5}_${n}`), toolsOf(`s${n}`, 3))
              yield* Effect.yieldNow
              if (n % 3 > 0) yield* one.close
            }),
          { concurrency: "unbounded" }
        )
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        yield* Fiber.interrupt(listener)
        expect(wrong).toEqual([])
        expect([...present].sort()).toEqual([...(yield* manager.snapshot).byName.keys()].sort())
        expect(present.size).toBe(30)
      })
    ))

  test("end with the manager", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const manager = Context.get(yield* Layer.buildWithScope(ToolManager.layer, scope), ToolManager)
      const listener = yield* Effect.forkChild(Stream.runCollect(manager.changes))
      yield* Effect.yieldNow
      yield* manager.register(builtin, [someTool("read")]).pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
      // The stream ends instead of waiting for more.
      expect([...(yield* Fiber.join(listener))]).toEqual([
        { added: ["read"], removed: [] },
        { added: [], removed: ["read"] }
      ])
    }).pipe(Effect.runPromise))
})
