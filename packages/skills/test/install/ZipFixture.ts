/** Writes zips, honest ones and others: modes, flags, sizes and repeats are what the test says they are. */
import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly path: string
  readonly content?: string | Uint8Array
  /** Unix mode with its kind, as `0o100644`. */
  readonly mode?: number
  readonly flags?: number
  /** What the headers say instead of the real size. */
  readonly declaredSize?: number
  readonly crc?: number
  readonly stored?: boolean
}

const header = (size: number, write: (view: DataView) => void): Uint8Array => {
  const bytes = new Uint8Array(size)
  write(new DataView(bytes.buffer))
  return bytes
}

export const zip = (entries: ReadonlyArray<ZipEntry>): Uint8Array => {
  const parts: Array<Uint8Array> = []
  const directory: Array<Uint8Array> = []
  let offset = 0
  for (const { content = "", crc, declaredSize, flags = 0x800, mode = 0o100644, path, stored } of entries) {
    const name = new TextEncoder().encode(path)
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    const packed = stored ? bytes : new Uint8Array(deflateRawSync(bytes))
    const sum = crc ?? crc32(bytes)
    const common = (view: DataView, at: number) => {
      view.setUint16(at, 20, true)
      view.setUint16(at + 2, flags, true)
      view.setUint16(at + 4, stored ? 0 : 8, true)
      view.setUint32(at + 10, sum, true)
      view.setUint32(at + 14, packed.byteLength, true)
      view.setUint32(at + 18, declaredSize ?? bytes.byteLength, true)
      view.setUint16(at + 22, name.byteLength, true)
    }
    const local = header(30, (view) => {
      view.setUint32(0, 0x04034b50, true)
      common(view, 4)
    })
    const central = header(46, (view) => {
      view.setUint32(0, 0x02014b50, true)
      view.setUint16(4, (3 << 8) | 20, true)
      common(view, 6)
      view.setUint32(38, (mode << 16) >>> 0, true)
      view.setUint32(42, offset, true)
    })
    parts.push(local, name, packed)
    directory.push(central, name)
    offset += local.byteLength + name.byteLength + packed.byteLength
  }
  const size = directory.reduce((sum, part) => sum + part.byteLength, 0)
  const end = header(22, (view) => {
    view.setUint32(0, 0x06054b50, true)
    view.setUint16(8, entries.length, true)
    view.setUint16(10, entries.length, true)
    view.setUint32(12, size, true)
    view.setUint32(16, offset, true)
  })
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]))
}
