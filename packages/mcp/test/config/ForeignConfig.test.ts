// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in the files
import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ForeignConfig from "../../src/config/ForeignConfig.ts"
import * as ServerEntry from "../../src/config/ServerEntry.ts"

const around = { workspace: "/w", home: "/h" }
const entries = (client: ForeignConfig.Client, document: Schema.Json) =>
  Object.fromEntries(ForeignConfig.servers(client, document, around).map(({ entry, name }) => [name, entry]))

const cases: ReadonlyArray<readonly [ForeignConfig.Client, Schema.Json, Schema.Json]> = [
  [
    "claude-desktop",
    { mcpServers: { fs: { command: "npx", args: ["-y", "p"], env: { K: "v" } } }, other: 1 },
    { fs: { command: "npx", args: ["-y", "p"], env: { K: "v" } } }
  ],
  [
    "claude-code",
    {
      mcpServers: { a: { type: "http", url: "https://a/mcp", headers: { X: "${T}" } } },
      projects: {
        "/w": { mcpServers: { b: { type: "stdio", command: "b" } } },
        "/other": { mcpServers: { c: {} } }
      }
    },
    {
      a: { type: "http", url: "https://a/mcp", headers: { X: "${T}" } },
      b: { type: "stdio", command: "b" }
    }
  ],
  [
    "cursor",
    { mcpServers: { c: { command: "${userHome}/bin/c", args: ["${workspaceFolder}/x", "${env:K}"] } } },
    { c: { command: "/h/bin/c", args: ["/w/x", "${env:K}"] } }
  ],
  [
    "vscode",
    { inputs: [], servers: { v: { type: "stdio", command: "v", env: { KEY: "${input:api-key}" } } } },
    { v: { type: "stdio", command: "v", env: { KEY: "${API_KEY}" } } }
  ],
  [
    "codex",
    {
      mcp_servers: {
        s: {
          command: "s",
          startup_timeout_sec: 20,
          tool_timeout_sec: 30,
          enabled_tools: ["a"],
          enabled: false
        },
        h: {
          url: "https://h",
          bearer_token_env_var: "TOK",
          env_http_headers: { "X-A": "A_VAR" },
          http_headers: { B: "b" }
        }
      }
    },
    {
      s: { command: "s", enabled: false, connect_timeout: 20, timeout: 30, includeTools: ["a"] },
      h: { url: "https://h", headers: { B: "b", "X-A": "${A_VAR}", Authorization: "Bearer ${TOK}" } }
    }
  ],
  [
    "gemini",
    {
      mcpServers: {
        g: { command: "g", env: { K: "$KEY", L: "${OTHER}" }, timeout: 15000, excludeTools: ["x"] },
        h: { httpUrl: "https://h" },
        e: { url: "https://e" }
      }
    },
    {
      g: { command: "g", env: { K: "${KEY}", L: "${OTHER}" }, timeout: 15, excludeTools: ["x"] },
      h: { type: "http", url: "https://h" },
      e: { type: "sse", url: "https://e" }
    }
  ],
  [
    "opencode",
    {
      mcp: {
        l: { type: "local", command: ["npx", "-y", "p"], environment: { K: "{env:KEY}" }, enabled: false },
        r: { type: "remote", url: "https://r", headers: { A: "Bearer {env:T}" }, timeout: 5000 }
      }
    },
    {
      l: { command: "npx", args: ["-y", "p"], env: { K: "${KEY}" }, disabled: true },
      r: { url: "https://r", headers: { A: "Bearer ${T}" }, connect_timeout: 5 }
    }
  ]
]

describe("another program's servers", () => {
  for (const [client, document, expected] of cases)
    test(`of ${client} become entries that can be started`, () => {
      const found = entries(client, document)
      expect<unknown>(found).toEqual(expected)
      for (const entry of Object.values(found)) expect(Result.isSuccess(ServerEntry.decode(entry))).toBe(true)
    })

  test("say what a person has to set instead of being asked", () => {
    const [server] = ForeignConfig.servers("vscode", cases[3]?.[1] ?? {}, around)
    expect(server?.notes).toEqual(['it asks for "api-key": set the variable API_KEY instead'])
  })

  test("are none where there are none", () => {
    for (const client of ForeignConfig.clients)
      for (const document of [{}, [], null, "x", { mcpServers: 5, mcp: [], servers: null }])
        expect(ForeignConfig.servers(client, document, around)).toEqual([])
  })

  test("tell whose file it is where the form does", () => {
    const of = Object.fromEntries(
      cases.map(([client, document]) => [client, ForeignConfig.clientOf(document)])
    )
    expect<unknown>(of).toEqual({
      "claude-desktop": undefined,
      "claude-code": "claude-code",
      cursor: undefined,
      vscode: undefined,
      codex: undefined,
      gemini: "gemini",
      opencode: "opencode"
    })
  })
})
