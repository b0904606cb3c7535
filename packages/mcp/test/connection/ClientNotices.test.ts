import { expect, spyOn, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as ClientNotices from "../../src/connection/ClientNotices.ts"

test("what the MCP client prints is logged, without what a server answered; what others print is printed", async () => {
  const printed: Array<unknown> = []
  const logged: Array<unknown> = []
  const original = spyOn(process.stderr, "write").mockImplementation((text) => {
    printed.push(text)
    return true
  })
  const logger = Logger.make<unknown, void>(({ message }) => void logged.push(message))
  const program = Effect.gen(function* () {
    yield* ClientNotices.intoLog
    yield* ClientNotices.intoLog
    console.warn('[mcp-sdk] OAuth "invalid_grant" — retrying. Cause: "token refresh-1 is unknown"')
    yield* Effect.sleep(5)
  })
  await Effect.runPromise(Effect.provide(program, Logger.layer([logger])))
  original.mockRestore()
  expect(printed).toEqual([])
  expect(logged.flat()).toEqual(['MCP client: OAuth "invalid_grant" — retrying.'])
})
