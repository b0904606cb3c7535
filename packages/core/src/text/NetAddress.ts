/**
 * Which part of the net an address is in. Pure. The ranges are those of the `ipaddr.js` library; what each means for
 * a request is here. Names are resolved, and requests refused, by those who make them.
 */
import ipaddr from "ipaddr.js"

/**
 * - `Public`: anybody's.
 * - `Private`: this machine or its own net.
 * - `Closed`: link-local, metadata services, multicast, reserved and what is no address: never to be reached.
 */
export type Reach = "Public" | "Private" | "Closed"

/** Services that tell a machine its secrets, and stand in ranges that hold ordinary ones too. */
const metadata = [
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe"
].map((text) => ipaddr.parse(text).toNormalizedString())

/** Reserved, and used inside nets all the same: translators of providers, made-up addresses of proxies. */
const used = ["192.0.0.0/24", "198.18.0.0/15"].map((range) => ipaddr.IPv4.parseCIDR(range))
/** Of IPv6 only this part has been given out to the public. */
const given = ipaddr.IPv6.parseCIDR("2000::/3")

const reach4 = (address: ipaddr.IPv4): Reach => {
  if (metadata.includes(address.toNormalizedString())) return "Closed"
  switch (address.range()) {
    case "unicast":
    case "as112":
    case "amt":
      return "Public"
    case "unspecified":
    case "loopback":
    case "private":
    case "carrierGradeNat":
      return "Private"
    case "reserved":
      return used.some((range) => address.match(range)) ? "Private" : "Closed"
    default:
      return "Closed"
  }
}

/** The IPv4 address whose halves stand at `at` of the eight parts. */
const carried = ({ parts }: ipaddr.IPv6, at: number): Reach => {
  const [high = 0, low = 0] = parts.slice(at)
  return reach4(new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]))
}

const reach6 = (address: ipaddr.IPv6): Reach => {
  const { parts } = address
  if (metadata.includes(address.toNormalizedString())) return "Closed"
  // The library's types lag behind its ranges.
  switch (address.range() as string) {
    case "unspecified":
    case "loopback":
    case "uniqueLocal":
    case "deprecatedSiteLocal":
      return "Private"
    case "ipv4Mapped":
    case "rfc6145":
      return carried(address, 6)
    case "rfc6052":
      // Where the address stands behind the prefix of local use is the translator's own matter.
      return parts[2] === 0 ? carried(address, 6) : "Closed"
    case "6to4":
      return carried(address, 1)
    case "unicast": {
      if (parts.slice(0, 6).every((part) => part === 0)) return carried(address, 6)
      if (!address.match(given)) return "Closed"
      // ISATAP: the address of the tunnel's end is in the last part.
      const isTunnel = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
      return isTunnel ? carried(address, 6) : "Public"
    }
    default:
      return "Closed"
  }
}

/** Without the brackets of a URL. IPv4 in four decimal parts, as `URL` writes every form of it. */
const parse = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  return bare.includes(":") && ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : undefined
}

/** True for an address and not a name. */
export const isAddress = (text: string): boolean => parse(text) !== undefined

/** An address as text, brackets and zone allowed. What is no address is `Closed`. */
export const reach = (text: string): Reach => {
  const address = parse(text)
  if (address === undefined) return "Closed"
  return address instanceof ipaddr.IPv4 ? reach4(address) : reach6(address)
}
