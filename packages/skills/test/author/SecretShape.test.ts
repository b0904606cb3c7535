import { describe, expect, test } from "bun:test"
import * as SecretShape from "../../src/author/SecretShape.ts"

const masks = (text: string) => SecretShape.find(text).map(({ line, masked }) => `${line} ${masked}`)

describe("a value that looks like a secret", () => {
  test("is named by its line, masked, whatever its kind", () => {
    const lines = [
      "Authorization: Bearer abcdef0123456789.xyz",
      `key sk-${"a1".repeat(12)} in a sentence`,
      "ghp_abcdefghij1234567890AB",
      "AKIAABCDEFGHIJKLMNOP",
      'api_key: "q8w7e6r5t4"',
      "export SERVICE_TOKEN=s3cr3t-value",
      '{"password": "hunter2-hunter2"}'
    ]
    expect(masks(lines.join("\n"))).toEqual([
      "1 abcd********",
      "2 sk-a********",
      "3 ghp_********",
      "4 AKIA********",
      "5 q8w7********",
      "6 s3cr********",
      "7 hunt********"
    ])
  })

  test("is not seen in words, variables and blanks to fill in", () => {
    const text = [
      `token: \${GITHUB_TOKEN}`,
      "password: required",
      "api_key=YOUR_API_KEY",
      "secret: <your-secret>",
      "token = process.env.TOKEN",
      "api-key: xxxxxxxxxxxx",
      "Set the access token: it lets the bearer read everything.",
      "sk-...",
      "The secret: patience"
    ].join("\n")
    expect(masks(text)).toEqual([])
  })

  test("is looked for in time that grows with the text, also in one line of a million letters", () => {
    const before = performance.now()
    expect(SecretShape.find(`${"a".repeat(1e6)} ${"ab_".repeat(3e5)}`)).toEqual([])
    expect(performance.now() - before).toBeLessThan(2_000)
  })
})
