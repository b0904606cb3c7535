/**
 * A part of a text by lines, numbered as `N|line`, within limits of lines and characters. Pure, and fed piece by
 * piece, so that a file larger than memory can be looked into. Where the text comes from is `ReadTool`.
 */

/** Lines shown when no limit is given. */
export const defaultLines = 2000
/** Characters of numbered lines shown at once; the rest of 50,000 is for notices. */
const maxWindowChars = 49_500

export interface Line {
  readonly number: number
  /** `undefined`: too long to be shown. */
  readonly text: string | undefined
  readonly chars: number
}

/** Splits what is pushed into lines; `\r\n` and `\n` end one. A line over `maxWindowChars` is counted, not kept. */
export const splitter = (emit: (line: Line) => void) => {
  let kept = ""
  let chars = 0
  let number = 0
  const close = () => {
    number++
    const text = chars <= maxWindowChars ? (kept.endsWith("\r") ? kept.slice(0, -1) : kept) : undefined
    emit({ number, text, chars })
    kept = ""
    chars = 0
  }
  const take = (piece: string) => {
    chars += piece.length
    if (chars <= maxWindowChars) kept += piece
    else kept = ""
  }
  return {
    push: (text: string) => {
      let from = 0
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        take(text.slice(from, end))
        close()
        from = end + 1
      }
      if (from < text.length) take(text.slice(from))
    },
    /** Gives the last line if it has no end of its own. */
    end: () => {
      if (chars > 0) close()
      return number
    }
  }
}

export interface Window {
  /** `N|line` rows, without a last line end. */
  readonly text: string
  readonly first: number
  /** 0: no line is shown. */
  readonly last: number
  /** The line that is too long to be shown and stopped the window. */
  readonly tooLong?: Line
}

/** Collects lines from `first` on. `isFull` once no more can come in. */
export const collector = (first: number, limit: number) => {
  const rows: Array<string> = []
  let chars = 0
  let tooLong: Line | undefined
  let full = false
  return {
    isFull: () => full,
    add: (line: Line) => {
      if (full || line.number < first) return
      if (rows.length >= limit) {
        full = true
        return
      }
      const row = line.text === undefined ? undefined : `${line.number}|${line.text}`
      if (row === undefined || chars + row.length + 1 > maxWindowChars) {
        full = true
        if (rows.length === 0) tooLong = line
        return
      }
      rows.push(row)
      chars += row.length + 1
    },
    window: (): Window => ({
      text: rows.join("\n"),
      first,
      last: rows.length === 0 ? 0 : first + rows.length - 1,
      ...(tooLong === undefined ? {} : { tooLong })
    })
  }
}
