import { describe, expect, test } from "bun:test"
import { Message, Model } from "@cow/core"
import * as fc from "fast-check"
import * as ToolArguments from "../../src/call/ToolArguments.ts"
import * as StreamFold from "../../src/step/StreamFold.ts"
import * as ThinkTags from "../../src/step/ThinkTags.ts"

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 }
const finish = (reason: Model.FinishReason = "stop"): Model.ModelEvent => ({ _tag: "Finish", reason, usage })
const text = (value: string, block = "t"): Model.ModelEvent => ({ _tag: "TextDelta", block, text: value })

const fold = (events: ReadonlyArray<Model.ModelEvent>) => {
  let state = StreamFold.initial
  const deltas: Array<StreamFold.Delta> = []
  for (const event of events) {
    const [next, told] = StreamFold.step(state, event)
    state = next
    deltas.push(...told)
  }
  return { reply: StreamFold.reply(state, []), deltas }
}

const told = (deltas: ReadonlyArray<StreamFold.Delta>, type: StreamFold.Delta["type"]) =>
  deltas
    .filter((delta) => delta.type === type)
    .map((delta) => delta.text)
    .join("")

const call = (
  block: string,
  id: string,
  ...pieces: ReadonlyArray<string>
): ReadonlyArray<Model.ModelEvent> => [
  { _tag: "ToolCallStart", block, id, name: `tool_${block}` },
  ...pieces.map((piece): Model.ModelEvent => ({ _tag: "ToolCallDelta", block, arguments: piece }))
]

describe("folding a stream", () => {
  test("calls whose pieces are interleaved come out apart, in the order they began", () => {
    const [a, b] = [call("a", "1", '{"x":', "1}"), call("b", "2", '{"y"', ":2}")]
    const mixed = [a[0], b[0], a[1], b[1], b[2], a[2]] as ReadonlyArray<Model.ModelEvent>
    const { reply } = fold([...mixed, finish("tool_calls")])
    expect(reply?.calls.map(({ part }) => [part.name, part.input])).toEqual([
      ["tool_a", { x: 1 }],
      ["tool_b", { y: 2 }]
    ])
  })

  test("a call without an id gets one, and ids that the session holds are not used again", () => {
    const events = [...call("a", "", "{}"), ...call("b", "known", "{}"), finish("tool_calls")]
    let state = StreamFold.initial
    for (const event of events) state = StreamFold.step(state, event)[0]
    const ids = StreamFold.reply(state, ["known", "call"])?.calls.map(({ part }) => part.id)
    expect(ids).toEqual(["call_2", "known_2"])
  })

  test("without a finish there is no reply", () => {
    expect(fold([text("half")]).reply).toBe(null)
  })

  test("thinking keeps what the provider wants back", () => {
    const { reply } = fold([
      { _tag: "ReasoningDelta", block: "r", text: "let me " },
      { _tag: "ReasoningDelta", block: "r", text: "count" },
      { _tag: "ReasoningDelta", block: "r", text: "", providerData: { anthropic: { signature: "c2ln" } } },
      text("42"),
      finish()
    ])
    expect(reply?.message.parts).toEqual([
      { type: "reasoning", text: "let me count", providerData: { anthropic: { signature: "c2ln" } } },
      { type: "text", text: "42" }
    ])
    expect(reply?.text).toBe("42")
  })

  test("text that comes after a call stands before it", () => {
    const { reply } = fold([...call("a", "1", "{}"), text("why"), finish("tool_calls")])
    expect(reply?.message.parts.map(({ type }) => type)).toEqual(["text", "tool_call"])
  })

  test("what cannot run is stored with empty arguments", () => {
    const { reply } = fold([...call("a", "1", '{"a":1'), finish("tool_calls")])
    expect(reply?.calls[0]).toMatchObject({ part: { input: {} }, arguments: { _tag: "CutOff" } })
  })
})

describe("thinking tags", () => {
  test("split over any pieces they never reach the text, and what they hold is reasoning", () => {
    const whole = "Hi <think>secret 🐄 < b</think>there, <b>bold</b> <th"
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((left, right) => left - right), whole.length]
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end))
        const { deltas, reply } = fold([...pieces.map((piece) => text(piece)), finish()])
        expect(told(deltas, "text_delta")).toBe("Hi there, <b>bold</b> <th")
        expect(told(deltas, "reasoning_delta")).toBe("secret 🐄 < b")
        expect(reply?.text).toBe("Hi there, <b>bold</b> <th")
      })
    )
  })

  test("a tag behind a backtick is text about tags", () => {
    expect(
      ThinkTags.push(ThinkTags.initial, "use `<think>` here")[1]
        .map(({ text }) => text)
        .join("")
    ).toBe("use `<think>` here")
  })

  test("where the pieces are cut makes no difference, and a tag is all that goes", () => {
    const merged = (pieces: ReadonlyArray<string>) => {
      let state = ThinkTags.initial
      const out: Array<ThinkTags.Segment> = []
      const give = (segments: ReadonlyArray<ThinkTags.Segment>) => {
        for (const { kind, text } of segments) {
          expect(text).not.toBe("")
          const last = out.at(-1)
          if (last?.kind === kind) out[out.length - 1] = { kind, text: last.text + text }
          else out.push({ kind, text })
        }
      }
      for (const piece of pieces) {
        const [next, segments] = ThinkTags.push(state, piece)
        state = next
        give(segments)
      }
      give(ThinkTags.end(state))
      return out
    }
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("<think>", "</think>", "<", "a", "`", "think>", "</th", "ink>")),
        (pieces) => {
          const whole = pieces.join("")
          expect(merged([...whole])).toEqual(merged([whole]))
          expect(merged(pieces)).toEqual(merged([whole]))
          const letters = (text: string) => text.split("a").length
          expect(
            letters(
              merged([whole])
                .map(({ text }) => text)
                .join("")
            )
          ).toBe(letters(whole))
        }
      )
    )
  })
})

describe("the arguments of a call", () => {
  const table: ReadonlyArray<[string, boolean, string]> = [
    ["", false, "Read"],
    ["  ", false, "Read"],
    ["", true, "CutOff"],
    ['{"a":1', false, "CutOff"],
    ["plain words", false, "CutOff"],
    ['{"a":x}', false, "Invalid"],
    ["[1]", false, "Invalid"],
    ["null", false, "Invalid"],
    ['"x"', false, "Invalid"],
    ['{"a":1}', true, "Read"],
    ['{"a":"function () { }', true, "CutOff"]
  ]
  for (const [raw, cut, tag] of table)
    test(`${JSON.stringify(raw)}${cut ? ", cut at the limit," : ""} is ${tag}`, () => {
      expect(ToolArguments.parse(raw, cut)._tag).toBe(tag as never)
    })

  test("any object comes back as it was, with lone surrogates replaced", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const parsed = ToolArguments.parse(JSON.stringify(value), false)
        expect(parsed).toEqual({ _tag: "Read", input: JSON.parse(JSON.stringify(value)) })
      })
    )
    expect(ToolArguments.parse('{"t":["bad \\ud83d end"]}', false)).toEqual({
      _tag: "Read",
      input: { t: ["bad \ufffd end"] }
    })
  })
})

test("a cancelled reply keeps its text only", () => {
  let state = StreamFold.initial
  for (const event of [text("so far"), ...call("a", "1", "{}")]) state = StreamFold.step(state, event)[0]
  expect(StreamFold.partial(state)).toEqual(Message.assistantText("so far"))
})

test("a character whose halves come in two pieces is whole in every delta, and a lone half is replaced", () => {
  const fold = (...events: ReadonlyArray<Model.ModelEvent>) => {
    let state = StreamFold.initial
    const told: Array<string> = []
    for (const event of events) {
      const [next, deltas] = StreamFold.step(state, event)
      state = next
      told.push(...deltas.map(({ text }) => text))
    }
    return { told, reply: StreamFold.reply(state, []) }
  }
  const end = { _tag: "Finish", reason: "stop", usage: Model.noUsage } as const
  const { reply, told } = fold(text("a\ud83d"), text("\ude80b"), text("\ud83d"), end)
  expect(reply?.text).toBe("a🚀b\ufffd")
  expect(told.join("")).toBe("a🚀b\ufffd")
  expect(told.every((piece) => piece.isWellFormed())).toBe(true)
  const thinking = (piece: string) => ({ _tag: "ReasoningDelta", block: "r", text: piece }) as const
  const thought = fold(thinking("x\ud83d"), text("between"), thinking("\ude80"), end)
  expect(thought.told).toEqual(["x", "between", "🚀"])
})

test("what a reply says it used counts until its finish says more", () => {
  const usage = { inputTokens: 7, outputTokens: 1, cachedTokens: 0 }
  const [state] = StreamFold.step(StreamFold.initial, { _tag: "Usage", usage })
  expect(StreamFold.usageOf(state)).toEqual(usage)
  const [ended] = StreamFold.step(state, {
    _tag: "Finish",
    reason: "stop",
    usage: { ...usage, outputTokens: 9 }
  })
  expect(StreamFold.usageOf(ended).outputTokens).toBe(9)
})
