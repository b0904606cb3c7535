/** An image that a model is shown, with a line that says what it is. Which bytes are an image is `FileKind`'s to say. */
import { Message, ToolResult } from "@cow/core"
import * as Base64 from "effect/encoding/Base64"
import * as FileKind from "../files/FileKind.ts"

/** A larger image is named, not sent. */
const maxBytes = 3_750_000

export const isTooLarge = (bytes: number): boolean => bytes > maxBytes

/** `image/png, 3.4 MiB (3565158 bytes): /a/b.png`. `place`: a path or an address. */
export const notice = (mediaType: string, bytes: number, place: string): string =>
  `${mediaType}, ${FileKind.size(bytes)}: ${place}`

export const result = (mediaType: string, data: Uint8Array, place: string): ToolResult.ToolResult =>
  ToolResult.ok([
    Message.text(notice(mediaType, data.length, place)),
    { type: "image", mediaType, data: Base64.encode(data) }
  ])
