/**
 * What is in a folder, every entry of it: also those whose names are no UTF-8, which the platform's file system gives
 * as texts that lead nowhere. This is the layer for node:fs, asked for such names only. How names are shown is
 * `FileName`.
 */
import { type BigIntStats, type Dirent, promises } from "node:fs"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as FileName from "./FileName.ts"
import * as Utf8Text from "./Utf8Text.ts"

/** A path as text, or its bytes where they are none. */
export type AnyPath = string | Uint8Array

interface FolderEntry {
  /** As it is, or as it is shown where it is no text. */
  readonly name: string
  readonly path: AnyPath
  readonly type: FileSystem.File.Type
}

/** What is asked of a file wherever it is. */
export interface Facts extends Pick<FileSystem.File.Info, "type" | "dev" | "ino" | "mtime"> {
  /** Bytes. */
  readonly size: number
}

const slash = 0x2f
/** What stands for bytes that are no text, and is a character of its own too. */
const unknown = "\ufffd"

const typeOf = (one: BigIntStats | Dirent): FileSystem.File.Type => {
  if (one.isFile()) return "File"
  if (one.isDirectory()) return "Directory"
  if (one.isSymbolicLink()) return "SymbolicLink"
  if (one.isFIFO()) return "FIFO"
  if (one.isSocket()) return "Socket"
  if (one.isCharacterDevice()) return "CharacterDevice"
  return one.isBlockDevice() ? "BlockDevice" : "Unknown"
}

const attempt = <A>(method: string, evaluate: () => Promise<A>): Effect.Effect<A, PlatformError> =>
  Effect.tryPromise({
    try: evaluate,
    catch: (cause) => systemError({ _tag: "Unknown", module: "FileSystem", method, cause })
  })

const bytesOf = (path: AnyPath): Uint8Array =>
  typeof path === "string" ? new TextEncoder().encode(path) : path

/** The path of what is called so in a folder. */
const below = (folder: AnyPath, name: Uint8Array): AnyPath => {
  const head = bytesOf(folder)
  const gap = head.at(-1) === slash ? 0 : 1
  const whole = new Uint8Array(head.length + gap + name.length)
  whole.set(head)
  whole.fill(slash, head.length, head.length + gap)
  whole.set(name, head.length + gap)
  return Utf8Text.decode(whole) ?? whole
}

const listBytes = (folder: AnyPath): Effect.Effect<ReadonlyArray<FolderEntry>, PlatformError> =>
  Effect.flatMap(
    attempt("readDirectory", () => promises.readdir(Buffer.from(bytesOf(folder)), { encoding: "buffer" })),
    (names) =>
      Effect.forEach(
        names,
        (bytes) => {
          const path = below(folder, bytes)
          const name = Utf8Text.decode(bytes) ?? FileName.shownBytes(bytes)
          return attempt("stat", () => promises.lstat(Buffer.from(bytesOf(path)), { bigint: true })).pipe(
            Effect.map((info): FolderEntry => ({ name, path, type: typeOf(info) })),
            // It is gone, or closed; it was there.
            Effect.orElseSucceed((): FolderEntry => ({ name, path, type: "Unknown" }))
          )
        },
        { concurrency: 8 }
      )
  )

/** The entries of a folder, in no order; links are not followed. */
export const list = Effect.fnUntraced(function* (folder: AnyPath) {
  if (typeof folder !== "string") return yield* listBytes(folder)
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* fs.readDirectoryEntries(folder)
  if (entries.some(({ name }) => name.includes(unknown))) return yield* listBytes(folder)
  return entries.map(({ name, type }): FolderEntry => ({ name, path: path.join(folder, name), type }))
})

/** Follows links. */
export const stat = (file: AnyPath): Effect.Effect<Facts, PlatformError, FileSystem.FileSystem> =>
  typeof file === "string"
    ? Effect.flatMap(FileSystem.FileSystem, (fs) =>
        Effect.map(fs.stat(file), (info) => ({ ...info, size: Number(info.size) }))
      )
    : Effect.map(
        attempt("stat", () => promises.stat(Buffer.from(file), { bigint: true })),
        (info) => ({
          type: typeOf(info),
          size: Number(info.size),
          dev: BigInt.asUintN(64, info.dev),
          ino: Option.some(BigInt.asUintN(64, info.ino)),
          mtime: Option.some(info.mtime)
        })
      )
