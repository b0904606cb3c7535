/**
 * Reads a zip into memory, or refuses it whole: every name, kind and flag is judged before the first byte is unpacked,
 * and bytes are counted as they come, whatever the headers say.
 *
 * This is the layer for node:zlib (checksums) and `yauzl`, both loaded with the first zip.
 */
import * as Effect from "effect/Effect"
import type { Entry, ZipFile } from "yauzl"
import { InstallRefused, refuse } from "../InstallRefused.ts"
import { isLitter, maxBytes, maxEntries, type PackageFile } from "./PackageFile.ts"
import * as PackagePath from "./PackagePath.ts"

export interface ZipOptions {
  /**
   * Only what lies below this folder is judged, counted and read, and paths are relative to it; `*` stands for the one
   * folder that a repository's archive puts around everything. `""`: all.
   */
  readonly below?: string
}

interface Listed {
  readonly entry: Entry
  readonly path: string
}

/** An archive may hold more outside of the folder that is asked for, but its list must end. */
const maxListed = 50_000

const fileKinds = { none: 0, folder: 0o040000, file: 0o100000 }
const kindOf = (entry: Entry): number => (entry.externalFileAttributes >>> 16) & 0o170000

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Reads and checks. Fails with the code of the first fault. */
export const read = (
  bytes: Uint8Array,
  options: ZipOptions = {}
): Effect.Effect<ReadonlyArray<PackageFile>, InstallRefused> =>
  bytes.byteLength > maxBytes
    ? Effect.fail(refuse("zip_too_large", `the archive has ${bytes.byteLength} bytes; at most ${maxBytes}`))
    : Effect.tryPromise({
        try: () => readArchive(bytes, options),
        catch: (cause) =>
          cause instanceof InstallRefused
            ? cause
            : refuse("not_a_zip", `the bytes are no readable zip: ${messageOf(cause)}`)
      })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const readArchive = async (
  bytes: Uint8Array,
  { below = "" }: ZipOptions
): Promise<ReadonlyArray<PackageFile>> => {
  const { fromBufferPromise, getFileNameLowLevel } = (await import("yauzl")).default
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: false,
    autoClose: false
  })
  try {
    if (zip.entryCount > (below === "" ? maxEntries : maxListed)) throw tooMany(zip.entryCount)
    const listed: Array<Listed> = []
    for await (const entry of zip.eachEntry()) {
      const whole = nameOf(entry, getFileNameLowLevel)
      const path = relative(whole, below)
      if (path === undefined || path === "") continue
      judge(entry, path, whole)
      listed.push({ entry, path })
      if (listed.length > maxEntries) throw tooMany(listed.length)
    }
    const clash = PackagePath.clash(listed.map(({ path }) => path))
    if (clash !== undefined) throw unsafe(clash, "it stands there twice, or differs only in letter case")
    return await unpack(zip, listed)
  } finally {
    zip.close()
  }
}

/** UTF-8 where the bytes are; else as the archive's flags say. */
const nameOf = (
  { extraFields, fileNameRaw, generalPurposeBitFlag }: Entry,
  decode: typeof import("yauzl").getFileNameLowLevel
): string => {
  try {
    if (!extraFields.some(({ id }) => id === 0x7075)) return decoder.decode(fileNameRaw)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
  }
  return decode(generalPurposeBitFlag, fileNameRaw, extraFields, true)
}

/** The path below a folder, or undefined for one outside of it. */
const relative = (path: string, below: string): string | undefined => {
  if (below === "") return path
  const folders = below.split("/")
  const parts = path.split("/")
  const inside = folders.every((folder, at) => (folder === "*" ? at === 0 : parts[at] === folder))
  return inside && parts.length > folders.length ? parts.slice(folders.length).join("/") : undefined
}

const judge = (entry: Entry, path: string, whole: string): void => {
  const reason = PackagePath.refusal(path)
  if (reason !== undefined) throw unsafe(whole, reason)
  if (entry.isEncrypted()) throw refuse("zip_encrypted", `the entry ${JSON.stringify(whole)} is encrypted`)
  const kind = kindOf(entry)
  if (kind !== fileKinds.none && kind !== fileKinds.folder && kind !== fileKinds.file)
    throw refuse("zip_link", `the entry ${JSON.stringify(whole)} is a link or a device`)
}

const unpack = async (zip: ZipFile, listed: ReadonlyArray<Listed>): Promise<ReadonlyArray<PackageFile>> => {
  const { crc32 } = await import("node:zlib")
  const files: Array<PackageFile> = []
  let total = 0
  for (const { entry, path } of listed) {
    const stream = await zip.openReadStreamPromise(entry)
    const chunks: Array<Uint8Array> = []
    let checksum = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      total += chunk.byteLength
      if (total > maxBytes)
        throw refuse("zip_too_large", `it unpacks to more than ${maxBytes} bytes, at ${JSON.stringify(path)}`)
      checksum = crc32(chunk, checksum)
      chunks.push(chunk)
    }
    if (checksum !== entry.crc32) throw refuse("not_a_zip", `the entry ${JSON.stringify(path)} is damaged`)
    if (path.endsWith("/") || isLitter(path)) continue
    const executable = ((entry.externalFileAttributes >>> 16) & 0o111) !== 0
    files.push({ path, bytes: new Uint8Array(Buffer.concat(chunks)), executable })
  }
  return files
}

const tooMany = (count: number) =>
  refuse("zip_too_many_entries", `the archive has ${count} entries or more; at most ${maxEntries}`)

const unsafe = (path: string, reason: string) =>
  refuse("zip_unsafe_path", `the entry ${JSON.stringify(path)} is refused: ${reason}`)
