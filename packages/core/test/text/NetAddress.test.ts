import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as NetAddress from "../../src/text/NetAddress.ts"

const hexOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

/** Every way in which IPv6 carries an IPv4 address. */
const carriers = (address: string): ReadonlyArray<string> => {
  const hex = hexOf(address)
  return [
    `::ffff:${address}`,
    `::ffff:${hex}`,
    `[::ffff:${hex}]`,
    `0:0:0:0:0:ffff:${hex}`,
    `::ffff:0:${hex}`,
    `64:ff9b::${hex}`,
    `64:ff9b::${address}`,
    `2002:${hex}::1`,
    `2606:4700::5efe:${hex}`,
    `2606:4700::200:5efe:${hex}`
  ]
}

const samples: ReadonlyArray<readonly [NetAddress.Reach, ReadonlyArray<string>]> = [
  [
    "Public",
    ["1.1.1.1", "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.167.1.1"]
  ],
  ["Public", ["2606:4700::1111", "[2a00::1]", "::ffff:8.8.8.8", "2002:808:808::", "2620:0:ccc::2"]],
  ["Private", ["127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255"]],
  ["Private", ["192.168.1.1", "100.64.0.1", "192.0.0.8", "198.18.0.1", "198.19.255.255"]],
  ["Private", ["::1", "::", "[::1]", "0:0:0:0:0:0:0:1", "fc00::1", "fd12::1", "fec0::1", "::127.0.0.1"]],
  ["Closed", ["169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192"]],
  ["Closed", ["224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.0.2.1", "203.0.113.9"]],
  ["Closed", ["fe80::1", "fe80::1%eth0", "[fe80::1%25eth0]", "febf::1", "ff02::1", "fd00:ec2::254"]],
  ["Closed", ["fd20:ce::254", "fd00:c1::a9fe:a9fe", "64:ff9b:1::7f00:1", "2001::1", "2001:db8::1"]],
  ["Closed", ["100::1", "3fff::1", "5f00::1", "4000::1", "8000::1", "2001:2::1"]],
  ["Closed", ["", "localhost", "example.com", "1.1.1", "300.1.1.1", "1:2", "::1::", "01.1.1.1", "0x7f.1"]],
  ["Closed", ["2130706433", "[]", "[1.1.1.1", "1.1.1.1.", ":", "::ffff:300.1.1.1", "12345::"]]
]

describe("the reach of an address", () => {
  for (const [reach, addresses] of samples)
    test(`is ${reach} for ${addresses.join(" ")}`, () => {
      expect(addresses.map((address) => [address, NetAddress.reach(address)])).toEqual(
        addresses.map((address) => [address, reach])
      )
    })

  test("is the same for an IPv4 address inside IPv6", () => {
    const four = fc.oneof(fc.ipV4(), fc.constantFrom(...samples.flatMap(([, all]) => all.slice(0, 3))))
    fc.assert(
      fc.property(
        four.filter((address) => /^[\d.]+$/.test(address) && NetAddress.isAddress(address)),
        (address) => {
          for (const carried of carriers(address))
            expect([carried, NetAddress.reach(carried)]).toEqual([carried, NetAddress.reach(address)])
        }
      )
    )
  })

  test("is told of every form that a URL takes for an address", () => {
    for (const [host, reach] of [
      ["2130706433", "Private"],
      ["0x7f.1", "Private"],
      ["0177.0.0.1", "Private"],
      ["127.1", "Private"],
      ["0", "Private"],
      ["2852039166", "Closed"],
      ["0xa9fea9fe", "Closed"],
      ["0251.0376.0251.0376", "Closed"],
      ["169。254。169。254", "Closed"],
      ["①②⑦.0.0.1", "Private"],
      ["[::FFFF:169.254.169.254]", "Closed"],
      ["16843009", "Public"]
    ] as const)
      expect([host, NetAddress.reach(new URL(`http://${host}/`).hostname)]).toEqual([host, reach])
  })

  test("is that of no address for a name", () => {
    for (const host of ["127.0.0.1", "[::1]", "::1"]) expect(NetAddress.isAddress(host)).toBe(true)
    for (const host of ["example.com", "1.example", "dead.beef", "1.1.1", ""])
      expect(NetAddress.isAddress(host)).toBe(false)
  })
})
