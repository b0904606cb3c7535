/**
 * The name of a file as it is shown: whole characters in one line, and whatever else a disk allows as escapes. Pure.
 * Which names a folder has is `FolderEntries`.
 */
import * as Utf8Text from "./Utf8Text.ts"

// C0, DEL and C1.
const controls = /\p{Cc}/gu
// What nobody sees or what turns text round; joiners belong to emoji and to some scripts.
const invisible = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0")

/** `a\nb`, `\x1b[2J`, `\u202e`. */
export const shown = (name: string): string =>
  name
    .replace(controls, (sign) => short[sign] ?? `\\x${hex(sign.charCodeAt(0), 2)}`)
    .replace(invisible, (sign) => `\\u${hex(sign.charCodeAt(0), 4)}`)
    .replace(/\p{Surrogate}/gu, (half) => `\\u${hex(half.charCodeAt(0), 4)}`)

/** How many bytes the character at `at` has; 0: there is none. */
const charBytes = (bytes: Uint8Array, at: number): number => {
  for (let count = 1; count <= 4; count++)
    if (at + count <= bytes.length && Utf8Text.decode(bytes.subarray(at, at + count)) !== undefined)
      return count
  return 0
}

/** A name that is no UTF-8: its characters, and every other byte as `\xe9`. */
export const shownBytes = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; ) {
    const count = charBytes(bytes, at)
    text +=
      count === 0
        ? `\\x${hex(bytes[at] ?? 0, 2)}`
        : shown(Utf8Text.decode(bytes.subarray(at, at + count)) ?? "")
    at += Math.max(1, count)
  }
  return text
}
