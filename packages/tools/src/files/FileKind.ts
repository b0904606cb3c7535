/** What a file is, told by its first bytes. Pure. */

/** Bytes of a file's beginning that `detect` wants. */
export const sniffBytes = 8192

export type FileKind =
  | { readonly _tag: "Text" }
  /** An image that models take. */
  | { readonly _tag: "Image"; readonly mediaType: string }
  | { readonly _tag: "Pdf" }
  /** `name` says what, for people. */
  | { readonly _tag: "Binary"; readonly name: string }

const starts = (bytes: Uint8Array, signature: string, at = 0): boolean =>
  bytes.length >= at + signature.length &&
  [...signature].every((char, index) => bytes[at + index] === char.charCodeAt(0))

const images: ReadonlyArray<readonly [signature: string, mediaType: string]> = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"]
]

const others: ReadonlyArray<readonly [signature: string, name: string]> = [
  ["PK\x03\x04", "zip archive"],
  ["PK\x05\x06", "zip archive"],
  ["\x1f\x8b", "gzip archive"],
  ["BZh", "bzip2 archive"],
  ["\xfd7zXZ\0", "xz archive"],
  ["7z\xbc\xaf\x27\x1c", "7z archive"],
  ["\x28\xb5\x2f\xfd", "zstd archive"],
  ["ID3", "MP3 audio"],
  ["\xff\xfb", "MP3 audio"],
  ["fLaC", "FLAC audio"],
  ["OggS", "Ogg audio or video"],
  ["\x7fELF", "ELF executable"],
  ["SQLite format 3\0", "SQLite database"],
  ["\0asm", "WebAssembly module"],
  ["BM", "BMP image"],
  ["II*\0", "TIFF image"],
  ["MM\0*", "TIFF image"]
]

/** A BOM of UTF-16 or UTF-32 makes zeros normal, but the text is not UTF-8 either way. */
const isWide = (bytes: Uint8Array): boolean => starts(bytes, "\xff\xfe") || starts(bytes, "\xfe\xff")

export const detect = (head: Uint8Array): FileKind => {
  const image = images.find(([signature]) => starts(head, signature))
  if (image !== undefined) return { _tag: "Image", mediaType: image[1] }
  if (starts(head, "RIFF") && starts(head, "WEBP", 8)) return { _tag: "Image", mediaType: "image/webp" }
  if (starts(head, "RIFF") && starts(head, "WAVE", 8)) return { _tag: "Binary", name: "WAV audio" }
  if (starts(head, "ftyp", 4)) return { _tag: "Binary", name: "MP4 audio or video" }
  if (starts(head, "%PDF-")) return { _tag: "Pdf" }
  const isBinary = head.subarray(0, sniffBytes).includes(0) && !isWide(head)
  const other = others.find(([signature]) => starts(head, signature))
  // Short signatures are words of texts too: only zeros or bytes outside ASCII make them count.
  if (other !== undefined && (isBinary || head.some((byte) => byte > 0x7f)))
    return { _tag: "Binary", name: other[1] }
  return isBinary ? { _tag: "Binary", name: "binary file" } : { _tag: "Text" }
}

/** `1 byte`, `12 bytes`, `3.4 MiB`. */
export const size = (bytes: number): string => {
  if (bytes === 1) return "1 byte"
  if (bytes < 1024) return `${bytes} bytes`
  const units = ["KiB", "MiB", "GiB", "TiB"]
  let value = bytes
  let unit = -1
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]} (${bytes} bytes)`
}
