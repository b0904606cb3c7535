/** Which addresses of the network are public ones: not this machine, not its neighbours, not reserved. Pure. */

/** `[address, bits]` of what is not public. */
const reserved4: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

const number4 = (text: string): number | undefined => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts.some((one) => one > 255)) return undefined
  return parts.reduce((sum, one) => sum * 256 + one, 0)
}

const isPublic4 = (value: number): boolean =>
  !reserved4.some(
    ([base, bits]) =>
      Math.floor(value / 2 ** (32 - bits)) === Math.floor((number4(base) as number) / 2 ** (32 - bits))
  )

/** The eight groups of an IPv6 address. */
const groups6 = (text: string): ReadonlyArray<number> | undefined => {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const embedded = tail === null ? undefined : number4(tail[2] ?? "")
  if (tail !== null && embedded === undefined) return undefined
  const plain =
    tail === null || embedded === undefined
      ? text
      : `${tail[1]}${Math.floor(embedded / 65536).toString(16)}:${(embedded % 65536).toString(16)}`
  const halves = plain.split("::")
  if (halves.length > 2) return undefined
  const [head = [], rest = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const gap = 8 - head.length - rest.length
  if (halves.length === 1 ? gap !== 0 : gap < 1) return undefined
  const all = [...head, ...(Array(gap).fill("0") as Array<string>), ...rest]
  return all.every((one) => /^[0-9a-f]{1,4}$/i.test(one))
    ? all.map((one) => Number.parseInt(one, 16))
    : undefined
}

const isPublic6 = (groups: ReadonlyArray<number>): boolean => {
  const [first = 0, second = 0] = groups
  const low4 = (at: number): number => (groups[at] ?? 0) * 65536 + (groups[at + 1] ?? 0)
  const zeros = (count: number): boolean => groups.slice(0, count).every((one) => one === 0)
  // IPv4 inside: mapped, compatible, translated (64:ff9b::/96), 6to4.
  if (zeros(5) && groups[5] === 0xffff) return isPublic4(low4(6))
  if (zeros(6)) return groups[6] !== 0 && isPublic4(low4(6))
  if (first === 0x64 && second === 0xff9b) return groups[2] === 0 && isPublic4(low4(6))
  if (first === 0x2002) return isPublic4(low4(1))
  // Of the rest only 2000::/3 is given out, without Teredo, documentation and the like.
  return first >= 0x2000 && first < 0x4000 && !(first === 0x2001 && (second < 0x200 || second === 0xdb8))
}

/** An IPv4 or IPv6 address as text, brackets and zone allowed; false for anything that is none. */
export const isPublic = (text: string): boolean => {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "")
  const four = number4(bare)
  if (four !== undefined) return isPublic4(four)
  const six = groups6(bare)
  return six !== undefined && isPublic6(six)
}

/** Whether a host, as `URL.hostname` gives it, is an address and no name. */
export const isAddress = (host: string): boolean =>
  host.startsWith("[") || number4(host) !== undefined || groups6(host) !== undefined
