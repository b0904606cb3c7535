/** Reads a folder on this machine as a package: the same limits as a zip, no links, nothing of it run. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { refuse } from "../InstallRefused.ts"
import { isLitter, maxBytes, maxEntries, type PackageFile } from "./PackageFile.ts"
import * as PackagePath from "./PackagePath.ts"

export const read = Effect.fn("PackageFolder.read")(
  function* (folder: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const files: Array<PackageFile> = []
    let total = 0
    let entries = 0
    const folders = [""]
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const relative = next
      for (const name of (yield* fs.readDirectory(path.join(folder, relative))).sort()) {
        const below = relative === "" ? name : `${relative}/${name}`
        if (isLitter(name)) continue
        const at = path.join(folder, below)
        const shown = JSON.stringify(at)
        entries += 1
        if (entries > maxEntries)
          return yield* refuse("zip_too_many_entries", `${folder} holds more than ${maxEntries} entries`)
        const reason = PackagePath.refusal(below)
        if (reason !== undefined) return yield* refuse("zip_unsafe_path", `${shown} is refused: ${reason}`)
        const isLink = (yield* Effect.result(fs.readLink(at)))._tag === "Success"
        const info = isLink ? undefined : yield* fs.stat(at)
        if (info?.type === "Directory") folders.push(below)
        else if (info?.type !== "File") return yield* refuse("zip_link", `${shown} is a link or a device`)
        else {
          total += Number(info.size)
          if (total > maxBytes)
            return yield* refuse("zip_too_large", `${folder} holds more than ${maxBytes} bytes`)
          const bytes = yield* fs.readFile(at)
          files.push({ path: below, bytes, executable: (info.mode & 0o111) !== 0 })
        }
      }
    }
    const clash = PackagePath.clash(files.map((file) => file.path))
    if (clash !== undefined)
      return yield* refuse(
        "zip_unsafe_path",
        `${JSON.stringify(clash)} differs from another only in letter case`
      )
    return files
  },
  Effect.catchTag("PlatformError", (cause) =>
    Effect.fail(refuse("bad_source", `the folder cannot be read (${cause.reason._tag}): ${cause.message}`))
  )
)
