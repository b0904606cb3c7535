/** Which part of the net an IP address is in. Pure; names are resolved by `PinnedRequest`. */

/**
 * - `Public`: anybody's.
 * - `Private`: this machine or its own net.
 * - `Closed`: link-local, metadata services, multicast and reserved: never to be reached.
 */
export type Reach = "Public" | "Private" | "Closed"

type Range = readonly [first: string, bits: number, reach: Reach]

/** The narrowest range counts. */
const ranges4: ReadonlyArray<Range> = [
  ["0.0.0.0", 8, "Private"],
  ["10.0.0.0", 8, "Private"],
  ["100.64.0.0", 10, "Private"],
  ["100.100.100.200", 32, "Closed"],
  ["127.0.0.0", 8, "Private"],
  ["169.254.0.0", 16, "Closed"],
  ["172.16.0.0", 12, "Private"],
  ["192.0.0.0", 24, "Private"],
  ["192.168.0.0", 16, "Private"],
  ["198.18.0.0", 15, "Private"],
  ["224.0.0.0", 4, "Closed"],
  ["240.0.0.0", 4, "Closed"]
]

const ranges6: ReadonlyArray<Range> = [
  ["::", 127, "Private"],
  ["fc00::", 7, "Private"],
  ["fd00:ec2::254", 128, "Closed"],
  ["fe80::", 10, "Closed"],
  ["fec0::", 10, "Private"],
  ["ff00::", 8, "Closed"]
]

/** IPv6 forms that carry an IPv4 address: prefix, its bits, and where the address begins. */
const carriers: ReadonlyArray<readonly [first: string, bits: number, at: number]> = [
  ["::ffff:0:0", 96, 96],
  ["::ffff:0:0:0", 96, 96],
  ["::", 96, 96],
  ["64:ff9b::", 96, 96],
  ["2002::", 16, 16]
]

const parse4 = (text: string): bigint | undefined => {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (found === null) return undefined
  const bytes = found.slice(1).map(Number)
  return bytes.some((byte) => byte > 255)
    ? undefined
    : bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n)
}

const parse6 = (text: string): bigint | undefined => {
  const bare = text.replace(/%.*$/, "")
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  const low = tail?.[2] === undefined ? undefined : parse4(tail[2])
  if (tail !== null && low === undefined) return undefined
  const source =
    low === undefined ? bare : `${tail?.[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`
  const halves = source.split("::")
  if (halves.length > 2) return undefined
  const words = halves.map((half) => (half === "" ? [] : half.split(":")))
  const [head = [], rest = []] = words
  const missing = 8 - head.length - rest.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const all = [...head, ...new Array<string>(halves.length === 2 ? missing : 0).fill("0"), ...rest]
  if (all.some((word) => !/^[0-9a-fA-F]{1,4}$/.test(word))) return undefined
  return all.reduce((value, word) => (value << 16n) | BigInt(`0x${word}`), 0n)
}

const inRange = (value: bigint, first: bigint, bits: number, width: number): boolean =>
  value >> BigInt(width - bits) === first >> BigInt(width - bits)

const narrowest = (
  value: bigint,
  ranges: ReadonlyArray<Range>,
  parse: (text: string) => bigint | undefined,
  width: number
): Reach => {
  let found: Range | undefined
  for (const range of ranges)
    if (inRange(value, parse(range[0]) ?? 0n, range[1], width) && range[1] > (found?.[1] ?? -1)) found = range
  return found?.[2] ?? "Public"
}

/** True for an address and not a name. */
export const isAddress = (text: string): boolean => parse4(text) !== undefined || parse6(text) !== undefined

/** An address in text form, IPv6 without brackets. What is no address is `Closed`. */
export const reach = (text: string): Reach => {
  const four = parse4(text)
  if (four !== undefined) return narrowest(four, ranges4, parse4, 32)
  const six = parse6(text)
  if (six === undefined) return "Closed"
  const own = narrowest(six, ranges6, parse6, 128)
  if (own !== "Public") return own
  for (const [first, bits, at] of carriers)
    if (inRange(six, parse6(first) ?? 0n, bits, 128))
      return narrowest((six >> BigInt(96 - at)) & 0xffffffffn, ranges4, parse4, 32)
  return own
}
