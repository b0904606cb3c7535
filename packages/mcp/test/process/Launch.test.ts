// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import type { TransportConfig } from "../../src/config/ServerEntry.ts"
import * as Launch from "../../src/process/Launch.ts"
import * as ServerEnvironment from "../../src/process/ServerEnvironment.ts"
import * as Redaction from "../../src/server/Redaction.ts"

const values: Record<string, string> = { A: "one", EMPTY: "", PRICE: "$& $1 ${A}" }
const lookup = (name: string) => values[name]

const stdio = (more: Partial<Extract<TransportConfig, { _tag: "Stdio" }>>): TransportConfig => ({
  _tag: "Stdio",
  command: "c",
  args: [],
  env: {},
  cwd: undefined,
  ...more
})

describe("a launch", () => {
  test("fills command, args, env and cwd, each argument staying one", () => {
    const launch = Launch.make(stdio({ args: ["${A} *", '"'], env: { X: "${A}" }, cwd: "/${A}" }), lookup)
    expect(Result.getOrThrow(launch).transport).toEqual(
      stdio({ args: ["one *", '"'], env: { X: "one" }, cwd: "/one" })
    )
  })

  test("names the variable and the field that is missing", () => {
    expect(Launch.make(stdio({ env: { KEY: "${NONE}" } }), lookup)).toEqual(
      Result.fail('the variable NONE in "env.KEY" is not set')
    )
    expect(Launch.make(stdio({ args: ["a", "${NONE}"] }), lookup)).toEqual(
      Result.fail('the variable NONE in "args[1]" is not set')
    )
  })

  test("takes only http and https addresses", () => {
    const http = (url: string): TransportConfig => ({ _tag: "Http", url, headers: {}, mode: "auto" })
    expect(Result.isSuccess(Launch.make(http("https://${A}/mcp"), lookup))).toBe(true)
    expect(Launch.make(http("file:///etc/passwd"), lookup)).toEqual(
      Result.fail('"url" is no http or https address')
    )
  })

  test("knows what no message may show", () => {
    const secret = (name: string) => ({ TOKEN: "s3cret-1" })[name]
    const launch = Result.getOrThrow(
      Launch.make(stdio({ args: ["--key=${TOKEN}"], env: { API_KEY: "literal-2", MODE: "test" } }), secret)
    )
    expect(Redaction.message("test s3cret-1 and literal-2\nfailed", launch.secrets)).toBe(
      "test ******** and ******** failed"
    )
  })
})

test("an entry is shown with its variables unexpanded and its literal secrets masked", () => {
  const entry = {
    url: "https://me:pw@h/mcp",
    headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "literal" },
    other: { kept: true }
  }
  expect(
    Redaction.entry({
      args: ["--api-key=abc", "--token", "def", "--password", "${PW}", "--mode", "x", "--auth", "-v"],
      url: "https://h/mcp?api_key=abc&q=1&token=${T}"
    })
  ).toEqual({
    args: ["--api-key=********", "--token", "********", "--password", "${PW}", "--mode", "x", "--auth", "-v"],
    url: "https://h/mcp?api_key=********&q=1&token=${T}"
  })
  expect(Redaction.entry(entry)).toEqual({
    url: "https://********@h/mcp",
    headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "********" },
    other: { kept: true }
  })
})

test("a server inherits only what it may, and its own variables win", () => {
  const agent = {
    HOME: "/h",
    PATH: "/bin",
    LC_ALL: "C",
    XDG_RUNTIME_DIR: "/r",
    HTTPS_PROXY: "p",
    no_proxy: "n",
    SSL_CERT_FILE: "f",
    MY_API_KEY: "secret",
    COW_HOME: "/cow",
    BASH_FUNC: "() { :; }",
    TERM: undefined
  }
  expect(ServerEnvironment.make(agent, { MODE: "1", HOME: "/other" })).toEqual({
    HOME: "/other",
    PATH: "/bin",
    LC_ALL: "C",
    XDG_RUNTIME_DIR: "/r",
    HTTPS_PROXY: "p",
    no_proxy: "n",
    SSL_CERT_FILE: "f",
    MODE: "1"
  })
  expect(ServerEnvironment.make(agent, { MY_API_KEY: "x" }).MY_API_KEY).toBe("x")
})

test("a server is listed by its command line or address, secrets masked", () => {
  for (const [written, target] of [
    [
      { command: "npx", args: ["-y", "a b", "--api-key", "k3y", "--token=t0k"] },
      'npx -y "a b" --api-key ******** --token=********'
    ],
    [{ command: "env", args: ["API_KEY=k3y", "A=1", "x"] }, "env API_KEY=******** A=1 x"],
    [
      {
        command: "npx",
        args: ["mcp-remote", "https://u:p@x.org/?key=k3y", "--header", "Authorization: Bearer k3y"]
      },
      'npx mcp-remote https://********@x.org/?key=******** --header "Authorization: ********"'
    ],
    [{ command: "c", args: ["--token", "${TOKEN}"] }, "c --token ${TOKEN}"],
    [{ url: "https://x.org/mcp?token=t0k" }, "https://x.org/mcp?token=********"],
    [{}, ""],
    [5, ""]
  ] as const)
    expect(Redaction.target(written)).toBe(target)
})
