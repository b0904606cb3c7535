/**
 * Bytes of an answer as the text they are: which encoding is told by a byte order mark, then the header, then the text
 * itself (`<meta>`, an XML declaration), and where nothing tells it by what the bytes can be. Never fails. Pure.
 */
import * as Utf8Text from "../files/Utf8Text.ts"

/** So far into a page its own word on its encoding is looked for; browsers go on where a page is longer than 1024. */
const declaredBytes = 16 * 1024
/** Bytes looked at to tell text of two bytes a sign. */
const wideBytes = 1024

type Label = ConstructorParameters<typeof TextDecoder>[0]

/** `undefined` for a label that nobody knows. */
const decoderOf = (label: string | undefined): TextDecoder | undefined => {
  try {
    return label === undefined ? undefined : new TextDecoder(label.trim() as Label)
  } catch (cause) {
    if (cause instanceof RangeError || cause instanceof TypeError) return undefined
    throw cause
  }
}

const starts = (bytes: Uint8Array, ...signature: ReadonlyArray<number>): boolean =>
  signature.every((byte, at) => bytes[at] === byte)

const markOf = (bytes: Uint8Array): string | undefined => {
  if (starts(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  if (starts(bytes, 0xff, 0xfe)) return "utf-16le"
  return starts(bytes, 0xfe, 0xff) ? "utf-16be" : undefined
}

/** Text of Western letters in UTF-16 without a mark: every other byte is zero, and no other. */
const wideOf = (bytes: Uint8Array): string | undefined => {
  const head = bytes.subarray(0, wideBytes)
  const zeros = [0, 0]
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const most = head.length * 0.4
  if (head.length < 8 || head.length % 2 !== 0) return undefined
  if (odd >= most && even === 0) return "utf-16le"
  return even >= most && odd === 0 ? "utf-16be" : undefined
}

const ofHeader = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType)?.[1]

const attributes = (source: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [, name = "", double, single, bare] of source.matchAll(
    /([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g
  ))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? "")
  return found
}

/** What the first `<meta>` says that says anything, outside comments and scripts. */
const ofMeta = (head: string): string | undefined => {
  const parts =
    /<!--[\s\S]*?(?:-->|$)|<(script|style|title|textarea)\b[\s\S]*?(?:<\/\1|$)|<meta\b((?:"[^"]*"|'[^']*'|[^>"'])*)/gi
  for (const [, , meta] of head.matchAll(parts)) {
    if (meta === undefined) continue
    const given = attributes(meta)
    const isType = given.get("http-equiv")?.toLowerCase() === "content-type"
    const label =
      given.get("charset") ??
      (isType ? /charset\s*=\s*["']?([^\s;"']+)/i.exec(given.get("content") ?? "")?.[1] : undefined)
    if (label !== undefined && decoderOf(label) !== undefined) return label
  }
  return undefined
}

const ofXml = (head: string): string | undefined =>
  /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']/i.exec(head)?.[1]

const ofStyle = (head: string): string | undefined => /^@charset "([^"]+)";/.exec(head)?.[1]

/** What the text says of itself. It is readable so far, so that what says UTF-16 is wrong. */
const ofText = (bytes: Uint8Array, type: string): string | undefined => {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, declaredBytes))
  const label =
    ofXml(head) ?? (/css/.test(type) ? ofStyle(head) : /html|^$/.test(type) ? ofMeta(head) : undefined)
  if (label === undefined || !/^\s*utf-?16/i.test(label)) return label
  return "utf-8"
}

const isUtf8 = (bytes: Uint8Array): boolean => Utf8Text.decode(bytes) !== undefined

/** True for a text of two bytes a sign, whose zeros make it no binary file. */
export const isWide = (bytes: Uint8Array, contentType: string): boolean =>
  /^utf-16/.test(
    decoderOf(markOf(bytes))?.encoding ?? decoderOf(ofHeader(contentType))?.encoding ?? wideOf(bytes) ?? ""
  )

/** `contentType`: the header, empty where there is none. */
export const decode = (bytes: Uint8Array, contentType: string): string => {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? ""
  const header = ofHeader(contentType)
  // JSON is UTF-8 whatever else is said of it, as long as it can be.
  const labels = /json$/.test(type)
    ? [markOf(bytes), wideOf(bytes), isUtf8(bytes) ? "utf-8" : header]
    : [markOf(bytes), header, wideOf(bytes), ofText(bytes, type)]
  for (const label of labels) {
    const decoder = decoderOf(label)
    if (decoder !== undefined) return decoder.decode(bytes)
  }
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252").decode(bytes)
}
