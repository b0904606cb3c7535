/**
 * One block of a server's answer as a model gets it. What a model cannot take as it is becomes a text that says what it
 * was; base64 never becomes text, and no block is lost without a word. Pure.
 *
 * The answer around it is `CallResult`.
 */
import type { Message, ToolResult } from "@cow/core"
import { Excerpt, Message as Messages } from "@cow/core"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"

/** What models take. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const svg = "image/svg+xml"

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** `Image/PNG; charset=x` and `image/jpg` as everybody else writes them. */
const mediaTypeOf = (given: unknown): string => {
  const [type = ""] = isWord(given) ? given.split(";") : []
  const lower = type.trim().toLowerCase()
  return lower === "image/jpg" || lower === "image/pjpeg" ? "image/jpeg" : lower
}

/** The base64 of an address `data:…`, and the type it names. */
const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/** As providers want it: without blanks, the usual alphabet, padded. `undefined`: it is none. */
const base64In = (text: string): string | undefined => {
  const plain = (/\s/.test(text) ? text.replace(/\s+/g, "") : text).replace(/=+$/, "")
  if (!/^[A-Za-z0-9+/_-]*$/.test(plain) || plain.length % 4 === 1) return undefined
  const usual = /[-_]/.test(plain) ? plain.replaceAll("-", "+").replaceAll("_", "/") : plain
  return usual + "=".repeat((4 - (usual.length % 4)) % 4)
}

const bytesIn = (base64: string): number =>
  (base64.length * 3) / 4 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0)

interface Bytes {
  readonly mediaType: string
  /** `missing`, `broken`, or how many there are. */
  readonly size: "missing" | "broken" | number
  readonly base64: string
}

const bytesOf = (data: unknown, mimeType: unknown): Bytes => {
  const given = typeof data === "string" ? data.trim() : ""
  const [prefix = "", named] = dataUrl.exec(given.slice(0, 200)) ?? []
  const mediaType = mediaTypeOf(isWord(mimeType) ? mimeType : named)
  const base64 = base64In(given.slice(prefix.length))
  if (data !== undefined && data !== null && typeof data !== "string")
    return { mediaType, size: "broken", base64: "" }
  if (base64 === undefined) return { mediaType, size: "broken", base64: "" }
  return { mediaType, size: base64 === "" ? "missing" : bytesIn(base64), base64 }
}

const described = (
  kind: string,
  { mediaType, size }: Pick<Bytes, "mediaType" | "size">
): Message.TextPart => {
  const what = `${kind}${mediaType === "" ? "" : ` ${mediaType}`}`
  if (size === "missing") return Messages.text(`[${what}, without its bytes]`)
  return Messages.text(size === "broken" ? `[${what}, its bytes are no base64]` : `[${what}, ${size} bytes]`)
}

/** How the files of a type begin, in base64. */
const beginnings: ReadonlyArray<readonly [string, string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGODdh", "image/gif"],
  ["R0lGODlh", "image/gif"]
]

/** What the bytes are rather than what they are called: a provider refuses a request in which the two differ. */
const imageTypeOf = ({ base64, mediaType }: Bytes): string => {
  const found = beginnings.find(([begin]) => base64.startsWith(begin))
  if (found !== undefined) return found[1]
  return base64.startsWith("UklGR") && base64.slice(10, 18).includes("XRUJQ") ? "image/webp" : mediaType
}

const decodedText = (base64: string): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(base64))
  } catch {
    // No text, so it is told of like any other bytes.
    return undefined
  }
}

/** The drawing as its text; servers send it as base64 and as it is. */
const drawing = (data: unknown, bytes: Bytes): Message.TextPart => {
  const plain = typeof data === "string" && data.trimStart().startsWith("<") ? data : undefined
  const text = plain ?? (typeof bytes.size === "number" ? decodedText(bytes.base64) : undefined)
  return text === undefined
    ? described("image", bytes)
    : Messages.text(`[image ${svg}, as its text]\n${text.toWellFormed()}`)
}

const image = ({ data, mimeType }: Message.JsonObject): ToolResult.ToolContent => {
  const bytes = bytesOf(data, mimeType)
  if (bytes.mediaType === svg) return drawing(data, bytes)
  if (typeof bytes.size !== "number") return described("image", bytes)
  const mediaType = imageTypeOf(bytes)
  return imageTypes.has(mediaType)
    ? { type: "image", mediaType, data: bytes.base64 }
    : described("image", bytes)
}

const maxDescription = 1000

/** `name: uri (type): what it is`. */
const link = ({ description, mimeType, name, title, uri }: Message.JsonObject): Message.TextPart => {
  const head = [isWord(name) ? name : title, uri].filter(isWord).join(": ")
  if (head === "") return Messages.text("[a resource link without name and address]")
  const type = isWord(mimeType) ? ` (${mimeType.trim()})` : ""
  const more = isWord(description) ? `: ${Excerpt.head(description.trim(), maxDescription)}` : ""
  return Messages.text(`${head}${type}${more}`.toWellFormed())
}

const resource = (given: Schema.Json | undefined): Message.TextPart => {
  if (!isObject(given)) return Messages.text("[a resource without content]")
  const { blob, mimeType, text, uri } = given
  if (typeof text === "string") return Messages.text(text.toWellFormed())
  return described(`resource${isWord(uri) ? ` ${uri}` : ""}`, bytesOf(blob, mimeType))
}

const quoted = (value: Schema.Json | undefined): string => Excerpt.head(JSON.stringify(value ?? null), 200)

export const decode = (block: Schema.Json): ToolResult.ToolContent => {
  if (typeof block === "string") return Messages.text(block.toWellFormed())
  if (!isObject(block)) return Messages.text(`[a content block that is no object: ${quoted(block)}]`)
  switch (block.type) {
    case "text":
      return Messages.text(
        typeof block.text === "string"
          ? block.text.toWellFormed()
          : `[a text that is none: ${quoted(block.text)}]`
      )
    case "image":
      return image(block)
    case "audio":
      return described("audio", bytesOf(block.data, block.mimeType))
    case "resource_link":
      return link(block)
    case "resource":
      return resource(block.resource)
    default:
      return Messages.text(`[a content block of the unknown type ${quoted(block.type)}]`)
  }
}

/** Shorter texts may be the same by chance. */
const minRepeated = 32

/** The base64 of the pictures among the blocks, as it came. */
export const picturesIn = (blocks: ReadonlyArray<Schema.Json>): ReadonlyArray<string> =>
  blocks.flatMap((block) =>
    isObject(block) &&
    block.type === "image" &&
    typeof block.data === "string" &&
    block.data.length >= minRepeated
      ? [block.data.replace(dataUrl, "")]
      : []
  )
