import { describe, expect, test } from "bun:test"
import * as AccessCheck from "../../src/access/AccessCheck.ts"

const ask = (rules: AccessCheck.AccessRules, headers: Partial<AccessCheck.AccessHeaders>) => {
  const refusal = AccessCheck.refusal(rules, {
    host: "127.0.0.1:4000",
    origin: undefined,
    authorization: undefined,
    ...headers
  })
  return refusal?.code ?? "ok"
}
const local = { host: "127.0.0.1" }

describe("AccessCheck", () => {
  test.each(["127.0.0.1:4000", "127.0.0.1", "localhost:4000", "LOCALHOST", "[::1]:4000", "127.0.0.1:80"])(
    "a server on loopback answers to %s",
    (host) => expect(ask(local, { host })).toBe("ok")
  )

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:4000",
    "192.168.0.7:4000",
    "[::2]:4000",
    "127.1",
    "localhost."
  ])("a server on loopback does not answer to %j", (host) =>
    expect(ask(local, { host })).toBe("forbidden_origin")
  )

  test.each([
    ["http://127.0.0.1:4000", "ok"],
    ["https://evil.example", "forbidden_origin"],
    ["http://127.0.0.1:9999", "forbidden_origin"],
    ["http://localhost:4000", "forbidden_origin"],
    ["null", "forbidden_origin"],
    ["", "forbidden_origin"]
  ])("the origin %j gives %s", (origin, expected) => expect(ask(local, { origin })).toBe(expected))

  test("a server on the network answers to addresses and its own name, never to another name", () => {
    const open = { host: "0.0.0.0", token: "t" }
    const authorization = "Bearer t"
    expect(ask(open, { host: "192.168.0.7:4000", authorization })).toBe("ok")
    expect(ask(open, { host: "[fe80::1]:4000", authorization })).toBe("ok")
    expect(ask(open, { host: "evil.example", authorization })).toBe("forbidden_origin")
    expect(ask({ host: "box.lan", token: "t" }, { host: "box.lan:4000", authorization })).toBe("ok")
  })

  test.each([
    [undefined, "unauthorized"],
    ["Bearer wrong", "unauthorized"],
    ["Bearer secre", "unauthorized"],
    ["Bearer secretsecret", "unauthorized"],
    ["Bearer ", "unauthorized"],
    ["Basic secret", "unauthorized"],
    ["secret", "unauthorized"],
    ["Bearer secret", "ok"],
    ["bearer secret", "ok"]
  ])("with the token `secret`, %j gives %s", (authorization, expected) =>
    expect(ask({ ...local, token: "secret" }, { authorization })).toBe(expected)
  )

  test("only a loopback address may be served without a token", () => {
    for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]"])
      expect(AccessCheck.startRefusal({ host })).toBe(null)
    for (const host of ["0.0.0.0", "::", "192.168.0.7", "box.lan"]) {
      expect(AccessCheck.startRefusal({ host })?._tag).toBe("TokenRequired")
      expect(AccessCheck.startRefusal({ host, token: "" })?._tag).toBe("TokenRequired")
      expect(AccessCheck.startRefusal({ host, token: "t" })).toBe(null)
    }
  })
})
