/**
 * Bytes of a pipe into lines. Chunks are kept as they are and joined once a line is whole, so a long line costs
 * its own size and no more; characters may be cut anywhere. Pure but for its own buffer.
 */

export type Framed =
  | { readonly _tag: "Lines"; readonly lines: ReadonlyArray<string> }
  /** A line without end outgrew the limit. Everything held is dropped. */
  | { readonly _tag: "TooLong" }

const newline = 0x0a

export class LineFramer {
  private readonly decoder = new TextDecoder()
  private held: Array<Uint8Array> = []
  private size = 0

  constructor(private readonly maxLineBytes: number) {}

  /** The lines that this chunk completes, without their ends, in order. */
  push(chunk: Uint8Array): Framed {
    const lines: Array<string> = []
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      if (this.size + at - from > this.maxLineBytes) return this.drop()
      lines.push(this.join(chunk.subarray(from, at)))
      from = at + 1
    }
    const rest = chunk.subarray(from)
    if (this.size + rest.length > this.maxLineBytes) return this.drop()
    if (rest.length > 0) {
      // A copy: a small rest must not keep a whole chunk alive.
      this.held.push(from === 0 ? chunk : rest.slice())
      this.size += rest.length
    }
    return { _tag: "Lines", lines }
  }

  private drop(): Framed {
    this.held = []
    this.size = 0
    return { _tag: "TooLong" }
  }

  private join(last: Uint8Array): string {
    let whole = last
    if (this.held.length > 0) {
      whole = new Uint8Array(this.size + last.length)
      let at = 0
      for (const part of this.held) {
        whole.set(part, at)
        at += part.length
      }
      whole.set(last, at)
      this.held = []
      this.size = 0
    }
    const end = whole.at(-1) === 0x0d ? whole.length - 1 : whole.length
    return this.decoder.decode(whole.subarray(0, end))
  }
}
