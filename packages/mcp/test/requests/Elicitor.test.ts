import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { Elicitor, withDefaults } from "../../src/requests/Elicitor.ts"

test("a form's defaults fill what was left out, and nothing that was given", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", default: "Cow" },
      age: { type: "integer", default: 0 },
      sure: { type: "boolean", default: false },
      note: { type: "string" }
    }
  }
  expect(withDefaults({ name: "Bull" }, schema)).toEqual({ name: "Bull", age: 0, sure: false })
  expect(withDefaults({}, {})).toEqual({})
})

test("where nobody is to be asked, a form is declined", async () => {
  const answer = Effect.flatMap(Elicitor, ({ ask }) => ask({ server: "s", message: "m", schema: {} }))
  expect(await Effect.runPromise(answer)).toEqual({ _tag: "Declined" })
})
