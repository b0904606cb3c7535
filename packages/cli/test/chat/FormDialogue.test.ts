import { describe, expect, test } from "bun:test"
import { Elicitor, type ElicitorShape } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FormDialogue from "../../src/chat/FormDialogue.ts"
import { Questions } from "../../src/terminal/Questions.ts"
import { Cow } from "../support/Cow.ts"

/** Somebody at a terminal who types these lines and then leaves. */
const typing = async (
  lines: ReadonlyArray<string>,
  use: (elicitor: ElicitorShape) => Effect.Effect<unknown>
) => {
  const said: Array<string> = []
  let at = 0
  const questions = Layer.succeed(Questions, {
    ask: (question) =>
      Effect.sync(() => {
        said.push(...question)
        return lines[at++]
      }),
    tell: (text) => Effect.sync(() => void said.push(text)),
    alone: (dialogue) => dialogue
  })
  const answer = await Effect.runPromise(
    Effect.flatMap(Elicitor, use).pipe(Effect.provide(Layer.provide(FormDialogue.layer, questions)))
  )
  return { answer, said: said.join("\n") }
}
const form = (properties: object, required: ReadonlyArray<string> = []) => ({
  server: "farm",
  message: "Which cow?",
  schema: { type: "object", properties, required } as never
})

describe("a form on a terminal", () => {
  const properties = {
    name: { type: "string" },
    age: { type: "integer", minimum: 0 },
    horned: { type: "boolean" }
  }

  test("is asked field by field, says who asks, and asks again where a line does not fit", async () => {
    const { answer, said } = await typing(["Rosa", "old", "-1", "7", ""], (one) =>
      one.ask(form(properties, ["name", "age"]))
    )
    expect(answer).toEqual({ _tag: "Accepted", content: { name: "Rosa", age: 7 } })
    expect(said).toContain('MCP server "farm" asks: Which cow?')
    expect(said).toContain("never type a password")
    expect(said).toContain("it must be a whole number")
    expect(said).toContain("it must be at least 0")
  })

  for (const [line, tag] of [
    ["/decline", "Declined"],
    ["/cancel", "Cancelled"]
  ] as const)
    test(`ends with ${line} in the middle`, async () => {
      expect((await typing(["Rosa", line], (one) => one.ask(form(properties)))).answer).toEqual({ _tag: tag })
    })

  test("is cancelled at the end of input", async () => {
    expect((await typing([], (one) => one.ask(form(properties)))).answer).toEqual({ _tag: "Cancelled" })
  })

  test("that asks for a secret is declined and not put", async () => {
    const { answer, said } = await typing(["x"], (one) => one.ask(form({ password: { type: "string" } })))
    expect(answer).toEqual({ _tag: "Declined" })
    expect(said).toContain("looks like a secret")
  })

  test("without fields wants a yes", async () => {
    expect((await typing(["hm", "yes"], (one) => one.ask(form({})))).answer).toEqual({
      _tag: "Accepted",
      content: {}
    })
    expect((await typing(["no"], (one) => one.ask(form({})))).answer).toEqual({ _tag: "Declined" })
  })
})

test("an address is shown, and agreed to or not", async () => {
  const visit = { server: "farm", message: "log in there", url: "https://farm.example/login" }
  const open = (line: string) => typing([line], (one) => one.visit?.(visit) ?? Effect.succeed("nobody asks"))
  const { answer, said } = await open("yes")
  expect(answer).toMatchObject({ _tag: "Accepted" })
  expect(said).toContain("https://farm.example/login")
  expect((await open("no")).answer).toEqual({ _tag: "Declined" })
})

/** Asks for a form as soon as the handshake is done, and writes down the answer. */
const asking = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
const requestedSchema = { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 2 }, age: { type: "integer", default: 30 } } }
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { error, id, method, params, result } = JSON.parse(line)
  if (id === "mine") require("node:fs").writeFileSync(process.argv[2], JSON.stringify(error ?? result))
  else if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } })
  else if (method === "tools/list") send({ id, result: { tools: [] } })
  else if (method === "notifications/initialized")
    send({ id: "mine", method: "elicitation/create", params: { message: "Who are you?", requestedSchema } })
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } })
})
`
const withAsking = (cow: Cow) => {
  const answer = `${cow.folder}/answer`
  const args = [cow.write("asking.cjs", asking), answer]
  cow.write("cow-home/mcp.json", JSON.stringify({ farm: { command: "node", args } }))
  return async () => {
    for (const end = Date.now() + 20_000; Date.now() < end; await Bun.sleep(20))
      if (await Bun.file(answer).exists()) return JSON.parse(await Bun.file(answer).text())
    throw new Error("the server got no answer")
  }
}

test("a server's form is filled in on the terminal of a chat", async () => {
  using cow = new Cow()
  const answered = withAsking(cow)
  const chat = cow.terminal(["chat"])
  await chat.seen('MCP server "farm" asks: Who are you?')
  await chat.seen("name (")
  chat.type("R\n")
  await chat.seen("at least 2 characters")
  chat.type("Rosa\n")
  await chat.seen("age (")
  chat.type("\n")
  expect(await answered()).toEqual({ action: "accept", content: { name: "Rosa", age: 30 } })
  chat.type("/quit\n")
  await chat.exited
}, 60_000)

test("a form is declined where a program writes the lines", async () => {
  using cow = new Cow()
  const answered = withAsking(cow)
  const chat = cow.open(["chat", "--output", "json"])
  expect(await answered()).toEqual({ action: "decline" })
  chat.stdin.end()
  await chat.exited
}, 60_000)
