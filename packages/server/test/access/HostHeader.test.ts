import { describe, expect, test } from "bun:test"
import * as FastCheck from "fast-check"
import * as HostHeader from "../../src/access/HostHeader.ts"

describe("HostHeader", () => {
  test.each([
    ["127.0.0.1:4000", "127.0.0.1", "127.0.0.1:4000"],
    ["LOCALHOST", "localhost", "localhost"],
    ["[::1]:4000", "::1", "[::1]:4000"],
    ["[FE80::1]", "fe80::1", "[fe80::1]"],
    ["[::ffff:127.0.0.1]", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]"],
    ["my_box.lan:65535", "my_box.lan", "my_box.lan:65535"],
    ["a.example.", "a.example.", "a.example."]
  ])("%s is %s", (value, name, authority) => expect(HostHeader.parse(value)).toEqual({ name, authority }))

  test.each([
    ["a user name", ["a@b", "@", "user:secret@127.0.0.1", "127.0.0.1@evil.example"]],
    ["a list", ["a, b", "a,b", "127.0.0.1, 127.0.0.1", "127.0.0.1,", "a b", "a;b"]],
    ["a path, a query, a fragment", ["a/b", "a/", "/", "a?b", "a#b", "a\\b", "http://a", "//a"]],
    ["nothing", ["", " ", ".", "a..b", ".a", ":80", ":", "[]", "*"]],
    [
      "a bad port",
      ["a:", "a:b", "a:-1", "a:+1", "a:0", "a:65536", "a:999999", "a:80:80", "a:8 0", "a:0x50", "a:1e3"]
    ],
    [
      "a broken address",
      ["[::1", "::1]", "::1", "[::1]x", "[::1]80", "[::1:80", "[[::1]]", "[::g]", "[1]", "[::1%lo]", "[:::]"]
    ],
    [
      "escapes and other letters",
      ["a%41", "a%00", "%31%32%37.0.0.1", "é", "ａ.example", "a\tb", "a\u0000b", "a\nb"]
    ],
    ["too long a name", ["a".repeat(64), `${"a".repeat(60)}.`.repeat(5)]]
  ])("%s is no host", (_, values) => {
    expect(values.filter((value) => HostHeader.parse(value) !== null)).toEqual([])
  })

  test("whatever it is given, it gives a host that reads as itself, or none", () => {
    const near = FastCheck.string({ unit: FastCheck.constantFrom(..."a1.:[]@,/ %-_") })
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(near, FastCheck.string({ unit: "binary" })), (value) => {
        const host = HostHeader.parse(value)
        if (host === null) return
        expect(HostHeader.parse(host.authority)).toEqual(host)
        expect(host.authority.replace(/[[\]]/g, "")).toStartWith(host.name)
      })
    )
  })
})
