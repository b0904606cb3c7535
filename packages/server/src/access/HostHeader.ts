/**
 * The `Host` header, read strictly: one name or address, and a port or none. What the URL parser would mend (other
 * spellings of numbers, escapes, user names, a list of two hosts) is no host. Whether a host may ask is `AccessCheck`.
 */
export interface Host {
  /** Lower case, an IPv6 address without its brackets. */
  readonly name: string
  /** As in `127.0.0.1:4000`, lower case; the port is left out where it was. */
  readonly authority: string
}

const shape =
  /^(?:\[(?<address>[0-9a-f:.]+)\]|(?<name>[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?))(?::(?<port>\d{1,5}))?$/

const isPort = (port: string): boolean => Number(port) >= 1 && Number(port) <= 65_535

const isIpv6 = (address: string): boolean => URL.canParse(`http://[${address}]/`)

/** Null for what is no host. */
export const parse = (value: string): Host | null => {
  const authority = value.toLowerCase()
  const { address, name, port } = shape.exec(authority)?.groups ?? {}
  if (port !== undefined && !isPort(port)) return null
  if (address !== undefined) return isIpv6(address) ? { name: address, authority } : null
  return name === undefined || name.length > 253 ? null : { name, authority }
}
