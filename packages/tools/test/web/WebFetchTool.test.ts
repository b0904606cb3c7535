import { afterAll, describe, expect, test } from "bun:test"
import { workbench } from "../Workbench.ts"

const closed = workbench()
const open = workbench({ allowPrivateFetch: true })
const requests: Array<string> = []
const page = `<html><head><title>A &amp; B</title><style>x{}</style></head><body><script>evil()</script>
<h1>Head</h1><p>One <a href="/next">two</a>.</p><ul><li>x</li><li>y</li></ul></body></html>`
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const { pathname, searchParams } = new URL(request.url)
    requests.push(pathname)
    switch (pathname) {
      case "/page":
        return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } })
      case "/json":
        return Response.json({ a: 1 })
      case "/latin":
        return new Response(new Uint8Array([0xe9]), {
          headers: { "content-type": "text/plain; charset=latin1" }
        })
      case "/gbk":
        return new Response(new Uint8Array(Buffer.from("<meta charset=gbk><p>\xba\xba\xd7\xd6", "latin1")), {
          headers: { "content-type": "text/html" }
        })
      case "/wide":
        return new Response(new Uint8Array(Buffer.from("\ufeffplain \u6c49", "utf16le")), {
          headers: { "content-type": "text/plain" }
        })
      case "/wide-bare":
        return new Response(new Uint8Array(Buffer.from("plain words", "utf16le")), {
          headers: { "content-type": "text/plain; charset=utf-16le" }
        })
      case "/odd-label":
        return new Response("caf\u00e9", { headers: { "content-type": "text/plain; charset=no-such" } })
      case "/deep":
        return new Response(`${"<div>".repeat(100_000)}deep`, { headers: { "content-type": "text/html" } })
      case "/long":
        return new Response(`<p>${"x ".repeat(5_000_000)}`, { headers: { "content-type": "text/html" } })
      case "/zip":
        return new Response(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), {
          headers: { "content-type": "application/zip" }
        })
      case "/gzip":
        return new Response(Bun.gzipSync("packed"), {
          headers: { "content-type": "text/plain", "content-encoding": "gzip" }
        })
      case "/to":
        return new Response(null, { status: 302, headers: { location: searchParams.get("u") ?? "" } })
      case "/count": {
        const left = Number(searchParams.get("n"))
        return left === 0
          ? new Response("arrived")
          : new Response(null, { status: 302, headers: { location: `/count?n=${left - 1}` } })
      }
      case "/bomb":
        return new Response(Bun.gzipSync(new Uint8Array(60 * 1024 * 1024)), {
          headers: { "content-type": "text/plain", "content-encoding": "gzip" }
        })
      case "/large":
        return new Response(new Uint8Array(52 * 1024 * 1024).fill(0x61), {
          headers: { "content-type": "text/plain" }
        })
      case "/loop":
        return new Response(null, { status: 302, headers: { location: "/loop" } })
      case "/auth":
        return new Response(
          request.headers.get("authorization") === `Basic ${btoa("me:pass%")}` ? "in" : "out"
        )
      default:
        return new Response("none", { status: 404 })
    }
  }
})
const at = (path: string) => `http://127.0.0.1:${server.port}${path}`
afterAll(async () => {
  await server.stop(true)
  await Promise.all([closed.close(), open.close()])
})

describe("web_fetch", () => {
  test("gives HTML as readable text, other text as it is, and unpacks what was packed", async () => {
    const html = await open.call("web_fetch", { url: at("/page") })
    expect(html.status).toBe("ok")
    expect(html.text).toBe(`A & B\n\n${at("/page")}\n\n# Head\n\nOne [two](${at("/next")}).\n\n- x\n- y`)
    expect((await open.call("web_fetch", { url: at("/json") })).text).toBe('{"a":1}')
    expect((await open.call("web_fetch", { url: at("/latin") })).text).toBe("é")
    expect((await open.call("web_fetch", { url: at("/gzip") })).text).toBe("packed")
    expect(await open.call("web_fetch", { url: at("/zip") })).toMatchObject({
      status: "error",
      text: expect.stringContaining("application/zip")
    })
  })

  test("text comes in the encoding that its mark, its header or the page itself tells", async () => {
    expect((await open.call("web_fetch", { url: at("/gbk") })).text).toEndWith("\n\n汉字")
    expect((await open.call("web_fetch", { url: at("/wide") })).text).toBe("plain 汉")
    expect((await open.call("web_fetch", { url: at("/wide-bare") })).text).toBe("plain words")
    expect((await open.call("web_fetch", { url: at("/odd-label") })).text).toBe("café")
  })

  test("a hostile or endless page is text or a clear error, and all else goes on meanwhile", async () => {
    let turns = 0
    const clock = setInterval(() => turns++, 20)
    const deep = await open.call("web_fetch", { url: at("/deep") })
    clearInterval(clock)
    expect([deep.status, deep.text.split("\n").at(-1)]).toEqual(["ok", "deep"])
    expect(turns).toBeGreaterThan(5)
    const long = await open.call("web_fetch", { url: at("/long") })
    expect([long.status, /its last \d+ of 10000003 characters/.test(long.text)]).toEqual(["ok", true])
  }, 60_000)

  test("what is private or closed is refused before any request", async () => {
    const before = requests.length
    const urls = [
      at("/json"),
      "http://127.0.0.1/",
      "http://localhost./",
      `http://localhost:${server.port}/json`,
      "http://2130706433/",
      "http://0x7f.1/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://169.254.169.254/latest/meta-data/",
      "http://10.0.0.1/",
      "http://172.16.3.4/",
      "http://192.168.1.1/",
      "http://[fd00:ec2::254]/",
      "http://0/",
      "file:///etc/hostname",
      "ftp://example.org/",
      "http://example.com@127.0.0.1/",
      "http://[64:ff9b::7f00:1]/"
    ]
    for (const url of urls)
      expect([url, (await closed.call("web_fetch", { url })).status]).toEqual([url, "denied"])
    for (const url of ["http://", "nonsense", ""])
      expect([url, (await closed.call("web_fetch", { url })).status]).toEqual([url, "error"])
    expect(requests.length).toBe(before)
  })

  test("link-local addresses stay closed where private ones are open, in every spelling", async () => {
    for (const host of [
      "169.254.169.254",
      "2852039166",
      "0xa9fea9fe",
      "[::ffff:169.254.169.254]",
      "[fe80::1]",
      "[fd00:ec2::254]",
      "100.100.100.200"
    ])
      expect([host, (await open.call("web_fetch", { url: `http://${host}/` })).status]).toEqual([
        host,
        "denied"
      ])
  })

  test("each redirect is checked again", async () => {
    const before = requests.length
    const refused = await open.call("web_fetch", { url: at("/to?u=http://169.254.169.254/x") })
    expect([refused.status, requests.length - before]).toEqual(["denied", 1])
    expect((await open.call("web_fetch", { url: at("/to?u=file:///etc/passwd") })).status).toBe("denied")
    expect((await open.call("web_fetch", { url: at("/to?u=/json") })).text).toBe('{"a":1}')
    expect((await open.call("web_fetch", { url: at("/loop") })).text).toContain("redirects")
    expect((await open.call("web_fetch", { url: at("/count?n=10") })).text).toBe("arrived")
    expect((await open.call("web_fetch", { url: at("/count?n=11") })).status).toBe("error")
  })

  test("a body over 50 MiB is an error, also one that only unpacks to that, and so is a name without an address", async () => {
    for (const path of ["/large", "/bomb"]) {
      const { status, text } = await open.call("web_fetch", { url: at(path) })
      expect([path, status]).toEqual([path, "error"])
      expect(text).toMatch(/body/)
    }
    const nowhere = await open.call("web_fetch", { url: "http://no-such-host.invalid/" })
    expect([nowhere.status, nowhere.text.includes("no-such-host.invalid")]).toEqual(["error", true])
    // A name of this machine is as closed as its address, and open where that is.
    const byName = at("/json").replace("127.0.0.1", "localhost")
    expect((await closed.call("web_fetch", { url: byName })).status).toBe("denied")
    expect((await open.call("web_fetch", { url: byName })).text).toBe('{"a":1}')
  }, 60_000)

  test("an error names the status, and a password is in no result", async () => {
    const lost = await open.call("web_fetch", { url: at("/lost").replace("//", "//me:hush@") })
    expect([lost.status, lost.text]).toEqual(["error", `${at("/lost")} answered 404 Not Found`])
    expect((await open.call("web_fetch", { url: at("/auth").replace("//", "//me:pass%@") })).text).toBe("in")
    const page = await open.call("web_fetch", { url: at("/page").replace("//", "//me:hush@") })
    expect(page.text).not.toContain("hush")
    expect((await open.call("web_fetch", { url: "http://me:hush@%%%/" })).text).not.toContain("hush")
    const gone = await open.call("web_fetch", { url: "http://me:hush@127.0.0.1:1/" })
    expect([gone.status, gone.text.includes("hush")]).toEqual(["error", false])
  })
})
