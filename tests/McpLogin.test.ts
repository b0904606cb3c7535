/** Logging in to an MCP server as a user does it: the real command, a browser that comes back over the loopback. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OAuthServer from "../packages/mcp/test/fixtures/OAuthServer.ts"

const main = join(import.meta.dir, "../packages/cli/src/main.ts")

let home: string
let server: ReturnType<typeof OAuthServer.start>
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cow-login-"))
  server = OAuthServer.start()
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { web: { url: server.url } } }))
})
afterEach(() => {
  server.stop()
  rmSync(home, { recursive: true, force: true })
})

/** A started command; what it says on stderr is read while it runs. */
const cow = (...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, main, "--workspace", home, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, COW_HOME: home },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe"
  })
  const said = { text: "" }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) said.text += decoder.decode(chunk, { stream: true })
  })()
  return { child, said, reading }
}
type Started = ReturnType<typeof cow>

const ended = async ({ child, reading, said }: Started) => {
  const stdout = await new Response(child.stdout).text()
  await reading
  return { code: await child.exited, stdout, stderr: said.text }
}

/** Where the browser is sent back to by the address that the command prints. */
const begun = async ({ child, said }: Started) => {
  const printed = /open (http\S+)\n/
  while (!printed.test(said.text)) {
    if (child.exitCode !== null) throw new Error(`no address to open: ${said.text}`)
    await Bun.sleep(20)
  }
  const url = printed.exec(said.text)?.[1] ?? ""
  return { back: new URL((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "") }
}
const changed = (url: URL, name: string, value: string): URL => {
  const other = new URL(url)
  other.searchParams.set(name, value)
  return other
}
const credentials = () => join(home, "credentials.json")
const stored = () =>
  existsSync(credentials()) ? JSON.parse(readFileSync(credentials(), "utf8")).mcp_logins : []
const status = async () => {
  const { stdout } = await ended(cow("mcp", "list", "--json", "--mcp-wait", "10"))
  const [web] = JSON.parse(stdout).servers
  return [web.status, web.tools]
}

describe("cow mcp login", () => {
  test("stores the token and makes the server ready; logout takes it back", async () => {
    expect(await status()).toEqual(["needs_auth", 0])
    const started = cow("mcp", "login", "web")
    const { back } = await begun(started)
    expect((await fetch(back)).status).toBe(200)
    const { code, stderr, stdout } = await ended(started)
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toContain("logged in to web")
    expect(stderr).not.toMatch(/access-\d|refresh-\d/)
    expect(statSync(credentials()).mode & 0o777).toBe(0o600)
    expect(await status()).toEqual(["ready", 1])
    expect((await ended(cow("mcp", "logout", "web"))).code).toBe(0)
    expect(stored()).toEqual([])
    expect(await status()).toEqual(["needs_auth", 0])
  }, 60_000)

  test("refuses a state that it did not give out, and stores nothing", async () => {
    const started = cow("mcp", "login", "web")
    const { back } = await begun(started)
    expect((await fetch(changed(back, "state", "forged"))).status).toBe(400)
    const { code, stderr } = await ended(started)
    expect(code).toBe(1)
    expect(stderr).toContain("wrong state")
    expect(stored()[0]?.tokens).toBeUndefined()
    expect(server.counts.exchange).toBe(0)
  }, 60_000)

  test("does not hear who comes under another host's name", async () => {
    const started = cow("mcp", "login", "web")
    const { back } = await begun(started)
    const foreign = await fetch(back, { headers: { host: "evil.example" } })
    expect(foreign.status).toBe(403)
    expect(server.counts.exchange).toBe(0)
    // The right one still counts.
    expect((await fetch(back)).status).toBe(200)
    expect((await ended(started)).code).toBe(0)
  }, 60_000)

  test("--no-browser takes the address that a browser elsewhere ended at", async () => {
    const started = cow("mcp", "login", "web", "--no-browser")
    const { back } = await begun(started)
    started.child.stdin.write(`${back}\n`)
    started.child.stdin.flush()
    const { code, stderr } = await ended(started)
    expect([code, stderr]).toEqual([0, expect.stringContaining("logged in to web")])
    expect(stored()[0]?.tokens).toMatchObject({ token_type: "Bearer" })
  }, 60_000)

  test("of a server that is not there is one line and exit 42", async () => {
    const { code, stderr } = await ended(cow("mcp", "login", "nobody"))
    expect([code, stderr]).toEqual([42, expect.stringMatching(/no MCP server "nobody"; configured: web\n$/)])
  }, 60_000)
})
