import { describe, expect, test } from "bun:test"
import net from "node:net"
import * as FastCheck from "fast-check"
import { listening } from "./Listening.ts"

interface Answer {
  readonly status: number
  readonly code: string | undefined
}

/** Writes the bytes as they are, and reads until the server closes. */
const exchange = (port: number, text: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.end(text, "latin1"))
    let answer = ""
    socket.on("data", (data) => {
      answer += data.toString("latin1")
    })
    socket.on("error", reject)
    socket.on("close", () =>
      resolve({
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0),
        code: /"code":"(\w+)"/.exec(answer)?.[1]
      })
    )
  })

const request = (line: string, headers: ReadonlyArray<string>, body = "") =>
  [line, ...headers, "connection: close", "", body].join("\r\n")

const own = "host: 127.0.0.1"

/** Sends each in turn and gives what came back, by what was sent. */
const answers = async (requests: ReadonlyArray<readonly [name: string, text: string]>) => {
  const found: Array<readonly [string, string]> = []
  await listening(async (url) => {
    for (const [name, text] of requests) {
      const { code, status } = await exchange(Number(new URL(url).port), text)
      found.push([name, `${status} ${code ?? ""}`.trim()])
    }
  })
  return found
}

const allAre = (requests: ReadonlyArray<readonly [string, string]>, expected: string) =>
  answers(requests).then((found) =>
    expect(found).toEqual(requests.map(([name]): readonly [string, string] => [name, expected]))
  )

describe("odd requests over a real socket", () => {
  test("a Host header that is no host is 400, whatever the path and the method", () => {
    const hosts = [
      "a@b",
      "a, b",
      "a/b",
      "",
      "127.0.0.1:99999",
      "127.0.0.1:x",
      "[::1",
      "a b",
      "é",
      "a?b",
      "a%41",
      ":80",
      "*"
    ]
    return allAre(
      hosts.flatMap((host) =>
        ["GET /healthz", "POST /api/runs", "GET /none", "OPTIONS //"].map(
          (line) => [`${line} ${host}`, request(`${line} HTTP/1.1`, [`host: ${host}`])] as const
        )
      ),
      "400 bad_host"
    )
  })

  test("two Host headers are 400, whichever comes first and even when both are the server's", () =>
    allAre(
      [
        ["127.0.0.1", "evil.example"],
        ["evil.example", "127.0.0.1"],
        ["127.0.0.1", "127.0.0.1"]
      ].map((pair) => [
        pair.join(" "),
        request(
          "GET /healthz HTTP/1.1",
          pair.map((host) => `host: ${host}`)
        )
      ]),
      "400 bad_host"
    ))

  test("a foreign host that is well-formed is 403", () =>
    allAre(
      [
        "evil.example",
        "127.0.0.1.evil.example",
        "127.1",
        "0x7f.1",
        "2130706433",
        "localhost.",
        "[::2]",
        "192.168.0.7"
      ].map((host) => [host, request("GET /healthz HTTP/1.1", [`host: ${host}`])]),
      "403 forbidden_origin"
    ))

  test("an address in the request line does not stand for the Host header", async () => {
    const line = "GET http://evil.example/healthz HTTP/1.1"
    expect(
      await answers([
        ["own", request(line, [own])],
        ["foreign", request("GET http://127.0.0.1/healthz HTTP/1.1", ["host: evil.example"])]
      ])
    ).toEqual([
      ["own", "200"],
      ["foreign", "403 forbidden_origin"]
    ])
  })

  test("odd paths are no path", () =>
    allAre(
      [
        "//",
        "/%",
        "/%ff%fe",
        "/%00",
        "/healthz%00",
        "/healthz;a=b",
        "/%2fhealthz",
        "/healthz/..%2f",
        "//evil.example/healthz",
        "/\\evil.example",
        "/api/runs//events",
        "/api/runs/%ff",
        `/${"a".repeat(9000)}`,
        `/api/runs/${"a".repeat(9000)}`,
        `/${"a/".repeat(3000)}`
      ].map((path) => [path, request(`GET ${path} HTTP/1.1`, [own])]),
      "404 not_found"
    ))

  test("odd methods are refused with the methods there are", () =>
    allAre(
      ["OPTIONS", "DELETE", "PATCH", "TRACE", "QUERY", "PURGE", "PROPFIND"].map((method) => [
        method,
        request(`${method} /healthz HTTP/1.1`, [own])
      ]),
      "405 method_not_allowed"
    ))

  test("whatever the method and the headers, nothing is a fault of the server's own", async () => {
    const post = "POST /api/runs HTTP/1.1"
    const body = '{"prompt":1}'
    const found = await answers([
      ["connect", request("CONNECT evil.example:443 HTTP/1.1", [own])],
      ["star", request("OPTIONS * HTTP/1.1", [own])],
      ["no host", request("GET /healthz HTTP/1.1", [])],
      ["old", "GET /healthz HTTP/1.0\r\n\r\n"],
      ["huge header", request("GET /healthz HTTP/1.1", [own, `x-a: ${"a".repeat(200_000)}`])],
      [
        "many headers",
        request("GET /healthz HTTP/1.1", [own, ...Array.from({ length: 5000 }, (_, at) => `x-${at}: a`)])
      ],
      ["origin", request("GET /healthz HTTP/1.1", [own, "origin: \u0001%%"])],
      ["accept", request(post, [own, "accept: \u00ff;;", `content-length: ${body.length}`], body)],
      ["short", request(post, [own, "content-length: 4"], body)],
      ["long", request(post, [own, "content-length: 400"], body)],
      ["no number", request(post, [own, "content-length: abc"], body)],
      ["below zero", request(post, [own, "content-length: -1"], body)],
      ["two lengths", request(post, [own, "content-length: 12", "content-length: 13"], body)],
      ["length and chunks", request(post, [own, "content-length: 12", "transfer-encoding: chunked"], body)],
      ["bad chunk", request(post, [own, "transfer-encoding: chunked"], "zz\r\n{}\r\n")],
      ["no body", request(post, [own])],
      ["a body to GET", request("GET /healthz HTTP/1.1", [own, "content-length: 2"], "{}")]
    ])
    expect(found.filter(([, answer]) => /^5/.test(answer))).toEqual([])
    expect(Object.fromEntries(found)).toMatchObject({
      accept: "422 invalid_body",
      short: "400 bad_json",
      "no body": "400 bad_json",
      "a body to GET": "200"
    })
  })

  test("requests put together from anything are never a fault of the server's own", () =>
    listening(async (url) => {
      const port = Number(new URL(url).port)
      const some = (...values: ReadonlyArray<string>) => FastCheck.constantFrom(...values)
      const junk = FastCheck.string({
        unit: FastCheck.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
      })
      const near = FastCheck.string({
        unit: some("/", "%", "..", "api", "runs", "healthz", "?", "#", "&=", "%2f", ":", "@", "[", "é")
      })
      const path = FastCheck.oneof(
        some("/api/runs", "/api/runs/r-1", "/healthz"),
        near.map((one) => `/${one}`),
        junk
      )
      const host = FastCheck.oneof(some("127.0.0.1"), some("127.0.0.1"), near, junk)
      const header = FastCheck.tuple(
        some(
          "origin",
          "authorization",
          "accept",
          "content-type",
          "content-encoding",
          "content-length",
          "x-junk"
        ),
        FastCheck.oneof(junk, some("0", "5", "application/json", "gzip", "null", "Bearer"))
      )
      const body = FastCheck.oneof(some("", "{", "{}", '{"prompt":1}', "[]", '{"__proto__":1}'), junk)
      const method = some("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "TRACE")
      await FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.record({ method, path, host, headers: FastCheck.array(header, { maxLength: 3 }), body }),
          async ({ body, headers, host, method, path }) => {
            const lines = headers.map(([name, value]) => `${name}: ${value}`)
            const text = request(`${method} ${path} HTTP/1.1`, [`host: ${host}`, ...lines], body)
            expect((await exchange(port, text)).status).toBeLessThan(500)
          }
        ),
        { numRuns: 300 }
      )
    }))
})
