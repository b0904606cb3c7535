import { describe, expect, test } from "bun:test"
import { Audience } from "@cow/core"
import * as Result from "effect/Result"
import * as McpConfig from "../../src/config/McpConfig.ts"

const list = (text: string) => Result.getOrThrow(McpConfig.ofText(text, "user", "mcp.json"))
const only = (value: unknown) => {
  const [server] = list(JSON.stringify({ mcpServers: { x: value } })).servers
  if (server === undefined) throw new Error("no server")
  return server.entry
}
const good = (value: unknown) => Result.getOrThrow(only(value))
const reason = (value: unknown) => Result.getOrThrow(Result.flip(only(value)))

describe("the forms of a file", () => {
  const entry = '{"command": "c"}'
  for (const [form, text] of [
    ["mcpServers", `{"mcpServers": {"x": ${entry}}}`],
    ["mcp_servers as a map", `{"mcp_servers": {"x": ${entry}}}`],
    ["mcp_servers as a list", '{"mcp_servers": [{"name": "x", "command": "c"}]}'],
    ["servers", `{"servers": {"x": ${entry}}, "inputs": []}`],
    ["a bare map", `{"$schema": "http://s", "x": ${entry}}`],
    ["a list", '[{"name": "x", "command": "c"}]'],
    [
      "comments, trailing commas and a byte-order mark",
      `\uFEFF// mine\n{"mcpServers": {"x": ${entry}, /* end */},}`
    ]
  ] as const)
    test(`${form} gives the server`, () => {
      const { servers, diagnostics } = list(text)
      expect(servers.map(({ name, entry }) => [name, Result.isSuccess(entry)])).toEqual([["x", true]])
      expect(diagnostics).toEqual([])
    })

  for (const text of ["{}", '{"mcpServers": {}}', "[]", '{"mcpServers": null}'])
    test(`${text} is no servers`, () => {
      expect(list(text)).toEqual({ servers: [], diagnostics: [], usable: true })
    })

  test("servers that are no map are none, with a warning, and not usable at a reload", () => {
    const { servers, diagnostics, usable } = list('{"mcpServers": "x"}')
    expect([servers.length, diagnostics.length, usable]).toEqual([0, 1, false])
  })

  for (const [text, line] of [
    ["", 1],
    ["7", 1],
    ['"x"', 1],
    ["null", 1],
    ['{"mcpServers":\n{"x": {"command": ', 2],
    ['{\n\n"a" 1}', 3]
  ] as const)
    test(`${JSON.stringify(text)} is broken at line ${line}`, () => {
      expect(Result.getOrThrow(Result.flip(McpConfig.ofText(text, "user", "f")))).toStartWith(
        `line ${line}: `
      )
    })

  test("awkward names are ordinary servers", () => {
    const names = ["constructor", "__proto__", "a.b c", "服务", "servers"]
    const text = `{"mcpServers": {${names.map((name) => `${JSON.stringify(name)}: ${entry}`).join(",")}}}`
    expect(list(text).servers.map(({ name }) => name)).toEqual(names)
    expect(list('{"servers": {"command": "c"}}').servers.map(({ name }) => name)).toEqual(["servers"])
  })

  test("a name that is twice in a list counts once, the last, with a warning", () => {
    const { servers, diagnostics } = list(
      '[{"name": "x", "command": "a"}, {"name": "x", "command": "b"}, {"command": "c"}]'
    )
    expect(servers.length).toBe(1)
    expect(servers[0]?.written).toEqual({ name: "x", command: "b" })
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'server "x" is there twice, as entries 1 and 2: the last one counts',
      'entry 3 of the list has no "name": skipped'
    ])
  })

  test("a name that is twice in a map counts once, the last, with a warning that names both lines", () => {
    const { servers, diagnostics } = list(
      '{"mcpServers": {\n"x": {"command": "a", "env": {"A": "1", "A": "2"}},\n"x": {"command": "b"}}}'
    )
    expect(servers.map(({ written }) => written)).toEqual([{ command: "b" }])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'server "x" is there twice, the second time at line 3: the last one counts'
    ])
  })

  for (const [written, ids, warning] of [
    ["null", [], '"allowed_persona_ids" must be a list of persona ids: nobody may use it'],
    ['"p1"', [], '"allowed_persona_ids" must be a list of persona ids: nobody may use it'],
    ["[1]", [], '"allowed_persona_ids" must be a list of persona ids: nobody may use it'],
    ['["p1", null]', [], '"allowed_persona_ids" must be a list of persona ids: nobody may use it'],
    ['["*", "p1"]', ["*"], '"allowed_persona_ids" has names beside "*": everyone may use it']
  ] as const)
    test(`${written} as who may use a server is ${JSON.stringify(ids)}, with a warning that names server and key`, () => {
      const { servers, diagnostics } = list(`{"x": {"command": "c", "allowed_persona_ids": ${written}}}`)
      const [x] = servers
      expect(x && Audience.toIds(Result.getOrThrow(x.entry).audience)).toEqual([...ids])
      expect(diagnostics.map(({ message }) => message)).toEqual([`server "x": ${warning}`])
    })

  test("a broken entry is that server's alone", () => {
    const { servers } = list('{"mcpServers": {"x": 5, "y": {"url": "http://h"}}}')
    expect(servers.map(({ entry }) => Result.isSuccess(entry))).toEqual([false, true])
  })
})

describe("an entry", () => {
  test("with a command is stdio, with a url HTTP that may fall back to SSE", () => {
    expect(good({ command: "c", env: { MODE: 1 } }).transport).toEqual({
      _tag: "Stdio",
      command: "c",
      args: [],
      env: { MODE: "1" },
      cwd: undefined
    })
    expect(good({ url: "http://u" }).transport).toEqual({
      _tag: "Http",
      url: "http://u",
      headers: {},
      mode: "auto"
    })
  })

  for (const word of ["http", "HTTP", "streamable-http", "streamable_http", "streamableHttp"])
    test(`of type ${word} is streamable HTTP only`, () => {
      expect(good({ url: "http://u", type: word }).transport).toMatchObject({ mode: "streamable" })
      expect(good({ url: "http://u", transport: word }).transport).toMatchObject({ mode: "streamable" })
    })

  for (const [value, expected] of [
    [5, "it is not an object"],
    [{}, 'it has neither "command" nor "url"'],
    [{ command: "c", url: "u" }, 'it has both "command" and "url"'],
    [{ command: "" }, '"command" is empty'],
    [{ command: "c", type: "weird" }, '"type" is "weird", not one of stdio, http, sse'],
    [{ command: "c", type: "http" }, 'a server with "command" is stdio, not HTTP'],
    [{ command: "c", args: "x" }, '"args" must be a list of strings'],
    [{ command: "c", env: { A: {} } }, '"env.A" must be a string'],
    [{ command: "c", timeout: 0 }, '"timeout" must be a number of seconds above 0'],
    [{ command: "c", connect_timeout: "5" }, '"connect_timeout" must be a number of seconds above 0'],
    [{ command: "c", disabled: "no" }, '"disabled" must be true or false'],
    [{ command: "c", protocol: "new" }, '"protocol" is "new", neither "auto" nor a revision like 2025-06-18']
  ] as const)
    test(`${JSON.stringify(value)} is broken: ${expected}`, () => {
      expect(reason(value)).toBe(expected)
    })

  test("is off when either word says so, and at odds means off with a warning", () => {
    expect(good({ command: "c", disabled: true }).enabled).toBe(false)
    expect(good({ command: "c", enabled: false }).enabled).toBe(false)
    expect(good({ command: "c", enabled: true, disabled: false })).toMatchObject({
      enabled: true,
      warnings: []
    })
    const odd = good({ command: "c", enabled: true, disabled: true })
    expect([odd.enabled, odd.warnings.length]).toEqual([false, 1])
  })

  test("is for everyone unless it says for whom", () => {
    expect(good({ command: "c" }).audience).toEqual(Audience.everyone)
    expect(good({ command: "c", allowed_persona_ids: [] }).audience).toEqual(Audience.only([]))
  })

  test("needs a restart for what it is started with, not for who sees which of its tools", () => {
    const key = (more: object) => McpConfig.startKey(good({ command: "c", args: ["1"], ...more }))
    expect(key({ includeTools: ["a"], excludeTools: ["b"], allowed_persona_ids: [] })).toBe(key({}))
    for (const more of [
      { args: ["2"] },
      { env: { A: "1" } },
      { timeout: 3 },
      { cwd: "/" },
      { protocol: "2025-06-18" }
    ])
      expect(key(more)).not.toBe(key({}))
  })
})

describe("a text without a value", () => {
  test("is no list of servers, for it may just be being written", () => {
    for (const text of ["", " \n", "// nothing yet\n", "\ufeff"])
      expect(McpConfig.ofText(text, "user", "mcp.json")).toEqual(Result.fail("line 1: the file is empty"))
  })
})
