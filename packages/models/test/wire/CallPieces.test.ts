import { afterEach, describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as CallPieces from "../../src/wire/CallPieces.ts"
import { callsOf, endpoints, reply, request, settings, whole } from "../Fixture.ts"
import { chat } from "../Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

interface Delta {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly args?: string
}

const offered = ["mcp__box__put", "mcp__box__get", "get", "get_all", "put", "list"]
const tools = offered.map((name) => ({ name, description: "", inputSchema: { type: "object" } }))

const delta = ({ args, id, index, name }: Delta) =>
  chat({
    tool_calls: [
      {
        ...(index === undefined ? {} : { index }),
        ...(id === undefined ? {} : { id, type: "function" }),
        function: {
          ...(name === undefined ? {} : { name }),
          ...(args === undefined ? {} : { arguments: args })
        }
      }
    ]
  })

const called = async (deltas: ReadonlyArray<Delta>) => {
  const wire = start(whole(...deltas.map(delta), chat({}, "tool_calls"), "[DONE]"))
  const events = await reply(settings("openai-compatible", `${wire.url}/v1`), "fake/m", request({ tools }))
  return callsOf(events)
}

const put = ["mcp__box__put", '{"path":"a","content":"{}"}'] as const

describe("one call", () => {
  const forms: Readonly<Record<string, ReadonlyArray<Delta>>> = {
    "a name in two pieces": [
      { index: 0, id: "c", name: "mcp__box__p", args: "" },
      { index: 0, name: "ut", args: '{"path":"a",' },
      { index: 0, args: '"content":"{}"}' }
    ],
    "a name in two pieces with arguments in both": [
      { index: 0, id: "c", name: "mcp__box__p", args: '{"path":' },
      { index: 0, id: "c", name: "ut", args: '"a","content":"{}"}' }
    ],
    "a name in many pieces, without an index": [
      ...["mcp", "__", "box", "__", "p", "u", "t"].map((name, at) => ({
        name,
        ...(at === 0 ? { id: "c" } : {})
      })),
      { args: put[1] }
    ],
    "a name that is told whole with every piece": [
      { index: 0, id: "c", name: put[0], args: "" },
      { index: 0, id: "c", name: put[0], args: '{"path":"a","content":' },
      { index: 0, name: put[0], args: '"{}"}' },
      { index: 0, name: put[0], args: "" }
    ],
    "a name that grows": [
      { index: 0, id: "c", name: "mcp__box", args: "" },
      { index: 0, id: "c", name: put[0], args: put[1] }
    ],
    "a name that comes last": [
      { index: 0, id: "c", args: '{"path":"a",' },
      { index: 0, args: '"content":"{}"}' },
      { index: 0, name: put[0] }
    ],
    "empty names behind the first": [
      { index: 0, id: "c", name: put[0], args: '{"path":"a",' },
      { index: 0, id: "", name: "", args: '"content":"{}"}' }
    ],
    "an id that comes late": [
      { index: 0, name: put[0], args: '{"path":"a",' },
      { index: 0, id: "c", args: '"content":"{}"}' }
    ],
    "an id that comes late, without an index": [
      { name: put[0], args: '{"path":"a",' },
      { id: "c", args: '"content":"{}"}' }
    ],
    "an id in pieces": [
      { index: 0, id: "ca", name: "mcp__box__p" },
      { index: 0, id: "ll", name: "ut" },
      { index: 0, id: "_1", args: '{"path":"a",' },
      { index: 0, args: '"content":"{}"}' }
    ],
    "another id with every piece": [
      { index: 0, id: "1", name: put[0], args: '{"path":"a",' },
      { index: 0, id: "2", args: '"content":' },
      { index: 0, id: "3", args: '"{}"}' }
    ],
    "an index from the second piece on": [
      { id: "c", name: put[0], args: '{"path":"a",' },
      { index: 0, args: '"content":"{}"}' }
    ],
    "arguments that are told once more at the end": [
      { index: 0, id: "c", name: put[0], args: put[1] },
      { index: 0, id: "c", name: put[0], args: put[1] }
    ]
  }
  for (const [name, deltas] of Object.entries(forms))
    test(name, async () => {
      const calls = await called(deltas)
      expect(calls.map((call) => [call.name, call.arguments])).toEqual([[...put]])
      expect(calls[0]?.id).not.toBe("")
    })

  test("a name that no tool has is told as it was written", async () => {
    const unknown = await called([
      { index: 0, id: "c", name: "knowledge", args: "" },
      { index: 0, name: "-wiki", args: "{}" }
    ])
    expect(unknown.map(({ name }) => name)).toEqual(["knowledge-wiki"])
    const again = await called([
      { index: 0, id: "c", name: "wiki", args: "" },
      { index: 0, name: "wiki", args: "{}" }
    ])
    expect(again.map(({ name }) => name)).toEqual(["wiki"])
  })

  test("a tool whose name begins like another's is meant as it is written", async () => {
    const pieces = await called([
      { index: 0, id: "c", name: "get", args: "" },
      { index: 0, name: "_all", args: "{}" }
    ])
    expect(pieces.map(({ name }) => name)).toEqual(["get_all"])
  })

  test("a call without a name is no reply", async () => {
    expect(called([{ index: 0, id: "c", args: "{}" }])).rejects.toMatchObject({ _tag: "ModelError" })
  })
})

describe("two calls", () => {
  const forms: Readonly<Record<string, ReadonlyArray<Delta>>> = {
    "interleaved, names in pieces": [
      { index: 0, id: "x", name: "ge" },
      { index: 1, id: "y", name: "li" },
      { index: 0, name: "t", args: '{"p' },
      { index: 1, name: "st", args: '{"q' },
      { index: 0, args: '":1}' },
      { index: 1, args: '":2}' }
    ],
    "interleaved by id, without an index": [
      { id: "x", name: "get", args: '{"p' },
      { id: "y", name: "list", args: '{"q' },
      { id: "x", args: '":1}' },
      { id: "y", args: '":2}' }
    ],
    "one after another without index and id": [
      { name: "get", args: '{"p' },
      { args: '":1}' },
      { name: "list", args: '{"q":2}' }
    ],
    "one index, no ids": [
      { index: 0, name: "get", args: '{"p":1}' },
      { index: 0, name: "list", args: '{"q":' },
      { index: 0, args: "2}" }
    ],
    "one id for both": [
      { index: 0, id: "x", name: "get", args: '{"p":1}' },
      { index: 1, id: "x", name: "list", args: '{"q":2}' }
    ],
    "the second first": [
      { index: 1, id: "y", name: "list", args: '{"q":2}' },
      { index: 0, id: "x", name: "get", args: '{"p":1}' }
    ]
  }
  for (const [name, deltas] of Object.entries(forms))
    test(name, async () => {
      const calls = await called(deltas)
      expect(calls.map((call) => [call.name, call.arguments])).toEqual([
        ["get", '{"p":1}'],
        ["list", '{"q":2}']
      ])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

  test("of one tool, under one index, stay two", async () => {
    const calls = await called([
      { index: 0, name: "get", args: '{"p":1}' },
      { index: 0, name: "get", args: '{"p":2}' }
    ])
    expect(calls.map((call) => call.arguments)).toEqual(['{"p":1}', '{"p":2}'])
  })
})

const names: CallPieces.ToolNames = {
  has: (name) => offered.includes(name),
  begin: (start) => offered.some((name) => name.startsWith(start))
}

/** A text in pieces, each at least one character. */
const pieces = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const at = [...new Set(cuts.map((cut) => cut % text.length))].filter((cut) => cut > 0).sort((a, b) => a - b)
  return [...at, text.length].map((end, index) => text.slice(index === 0 ? 0 : at[index - 1], end))
}

test("calls come out whole however names and arguments are cut and mixed", () => {
  const call = fc.record({
    name: fc.constantFrom("mcp__box__put", "mcp__box__get", "list"),
    input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
    nameCuts: fc.array(fc.nat(), { maxLength: 3 }),
    cuts: fc.array(fc.nat(), { maxLength: 6 })
  })
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      fc.constantFrom("index", "id", "both" as const),
      (calls, choices, labels) => {
        const queues = calls.map(({ cuts, input, name, nameCuts }, at) => {
          const label = {
            index: labels === "id" ? undefined : at,
            id: labels === "index" ? undefined : `call_${at}`,
            extra: undefined
          }
          return [
            ...pieces(name, nameCuts).map((name) => ({ ...label, name, arguments: "" })),
            ...pieces(JSON.stringify(input), cuts).map((written) => ({
              ...label,
              name: undefined,
              arguments: written
            }))
          ]
        })
        let state: ReadonlyArray<CallPieces.PiecedCall> = []
        // The first pieces in the order of the calls, then any queue that still has some.
        const first = queues.flatMap((queue) => queue.shift() ?? [])
        for (const piece of first) state = CallPieces.add(state, piece, names)
        for (;;) {
          const left = queues.filter((queue) => queue.length > 0)
          const queue = left[(choices.next().value as number) % Math.max(1, left.length)]
          const piece = queue?.shift()
          if (piece === undefined) break
          state = CallPieces.add(state, piece, names)
        }
        expect(CallPieces.ordered(state).map((one) => [one.name, one.arguments])).toEqual(
          calls.map(({ input, name }) => [name, JSON.stringify(input)])
        )
      }
    ),
    { numRuns: 300 }
  )
})
