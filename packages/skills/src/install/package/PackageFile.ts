/**
 * The files of a package in memory, and how much one may hold. Where they come from is `ZipArchive` and
 * `PackageFolder`; which skills are in them, `SkillPackage`.
 */

export interface PackageFile {
  /** Relative, with `/`; it has passed `PackagePath`. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
}

/** Of the packed bytes, and of the real unpacked ones. */
export const maxBytes = 25 * 1024 * 1024
/** Folders count. */
export const maxEntries = 500

/** What systems leave in archives and folders, and what is no content of a skill: by the name of any part. */
const litter = new Set(["__macosx", ".ds_store", ".git"])

export const isLitter = (path: string): boolean =>
  path.split("/").some((part) => litter.has(part.toLowerCase()))
