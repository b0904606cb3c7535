/** The last bytes of what was pushed, in memory that never grows beyond its bound, however small the pieces are. */
export class ByteRing {
  private buffer = new Uint8Array(0)
  private start = 0
  private size = 0
  private lost = 0

  constructor(private readonly maxBytes: number) {}

  push(chunk: Uint8Array): void {
    const kept = chunk.length > this.maxBytes ? chunk.subarray(-this.maxBytes) : chunk
    this.lost += chunk.length - kept.length
    this.reserve(this.size + kept.length)
    const capacity = this.buffer.length
    const over = Math.max(0, this.size + kept.length - capacity)
    this.lost += over
    this.start = (this.start + over) % (capacity || 1)
    this.size -= over
    const at = (this.start + this.size) % (capacity || 1)
    const head = Math.min(kept.length, capacity - at)
    this.buffer.set(kept.subarray(0, head), at)
    this.buffer.set(kept.subarray(head), 0)
    this.size += kept.length
  }

  /** What is in it, oldest first, as bytes of its own. */
  bytes(): Uint8Array {
    const head = Math.min(this.size, this.buffer.length - this.start)
    const all = new Uint8Array(this.size)
    all.set(this.buffer.subarray(this.start, this.start + head))
    all.set(this.buffer.subarray(0, this.size - head), head)
    return all
  }

  /** The same, and how many bytes had to go before them; it is empty afterwards and holds no memory. */
  takeAll(): { readonly bytes: Uint8Array; readonly lost: number } {
    const taken = { bytes: this.bytes(), lost: this.lost }
    this.buffer = new Uint8Array(0)
    this.start = this.size = this.lost = 0
    return taken
  }

  private reserve(wanted: number): void {
    if (wanted <= this.buffer.length || this.buffer.length === this.maxBytes) return
    const grown = new Uint8Array(Math.min(this.maxBytes, Math.max(wanted, 2 * this.buffer.length, 1024)))
    grown.set(this.bytes())
    this.buffer = grown
    this.start = 0
  }
}
