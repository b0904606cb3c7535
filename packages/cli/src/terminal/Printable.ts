/**
 * Text from models, tools, skills and files made fit for a terminal: nothing in it can move the cursor, set the
 * clipboard, or hide a part of itself. JSON output does not pass here; it escapes by itself. Pure.
 */

// C0 except tab and line end, DEL, C1.
const controls = /[\p{Cc}]/gu
// Direction overrides and isolates, zero-width characters, invisible operators, tags, soft hyphen, BOM.
const invisible =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu
// Zero-width joiners are part of emoji and of some scripts: visible only between plain letters.
const joiners = /(?<!\p{Extended_Pictographic}|\uFE0F|\p{Script=Arabic}|\p{M}|\p{Lo})[\u200C\u200D]/gu

const named = (character: string): string => {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")
  return `<U+${code}>`
}

const escaped = (character: string): string =>
  character === "\n" || character === "\t"
    ? character
    : `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, "0")}`

/** Control characters but line end and tab become `\x1b`, invisible ones `<U+202E>`. CR LF is a line end. */
export const visible = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(controls, escaped)
    .replace(invisible, named)
    .replace(joiners, named)
    .toWellFormed()

/** The same in one line: line ends and tabs become blanks. */
export const oneLine = (text: string): string => visible(text).replace(/[\n\t]+/g, " ")

/** `1 tool`, `2 tools`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** One line in which also a long run of blanks cannot push the rest out of sight. */
export const compact = (text: string): string =>
  oneLine(text).replace(/ {8,}/g, (blanks) => ` …${blanks.length} blanks… `)
