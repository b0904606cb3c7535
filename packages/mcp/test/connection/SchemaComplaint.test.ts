import { expect, test } from "bun:test"
import * as SchemaComplaint from "../../src/connection/SchemaComplaint.ts"

const issue = { code: "invalid_type", path: ["capabilities", "prompts"], message: "expected object" }

for (const [given, shown] of [
  [
    `Invalid result for initialize: ${JSON.stringify([issue, issue], null, 2)}`,
    "Invalid result for initialize: capabilities.prompts: expected object"
  ],
  [
    JSON.stringify([{ code: "invalid_union", path: [], message: "m", errors: [] }]),
    "it is no JSON-RPC message"
  ],
  ["HTTP 500: [ {oops", "HTTP 500: [ {oops"],
  ['a list [{"a": 1}]', 'a list [{"a": 1}]']
] as const)
  test(`${JSON.stringify(given.slice(0, 40))} is shown as ${shown}`, () => {
    expect(SchemaComplaint.shorten(given)).toBe(shown)
  })
