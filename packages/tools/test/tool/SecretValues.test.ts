import { expect, test } from "bun:test"
import * as SecretValues from "../../src/tool/SecretValues.ts"

test("the values of secrets are those, not keys, of JSON and .env files, without short ones", () => {
  expect(SecretValues.secretsIn('{"access_token":"aaaa-bbbb-cccc","n":"short"}')).toEqual(["aaaa-bbbb-cccc"])
  expect(SecretValues.secretsIn("# c\nA=first-secret-1\nexport B='second-secret-2'\n")).toEqual([
    "second-secret-2",
    "first-secret-1"
  ])
})
