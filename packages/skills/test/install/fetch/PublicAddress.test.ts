import { describe, expect, test } from "bun:test"
import { isAddress, isPublic } from "../../../src/install/fetch/PublicAddress.ts"

describe("a public address", () => {
  test.each([
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "[2a00::1]"
  ])("%s is one", (address) => expect(isPublic(address)).toBe(true))

  test.each([
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "[::1]",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "localhost",
    "1.2.3",
    ""
  ])("%s is none", (address) => expect(isPublic(address)).toBe(false))

  test("is told from a host name", () => {
    for (const host of ["127.0.0.1", "[::1]"]) expect(isAddress(host)).toBe(true)
    for (const host of ["example.com", "1.example"]) expect(isAddress(host)).toBe(false)
  })
})
