/**
 * Which paths of a package may become files: relative, below the package, and told apart by every file system. Pure.
 */
import * as InvisibleText from "../../frontmatter/InvisibleText.ts"

const maxPathChars = 512
/** Windows takes these for devices, with any ending. */
const device = /^(?:con|prn|aux|nul|com[0-9\u00B9\u00B2\u00B3]|lpt[0-9\u00B9\u00B2\u00B3])(?:\..*)?$/i

/** Why a path must not be written, or undefined. A `/` at its end marks a folder. */
export const refusal = (path: string): string | undefined => {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path
  if (/[\p{Cc}\p{Cs}\uFFFD]/u.test(path)) return "it holds a control character or is no Unicode"
  if (path.includes("\\")) return "it holds a backslash"
  if (path.startsWith("/")) return "it is absolute"
  if (/^[A-Za-z]:/.test(path)) return "it begins with a drive"
  if (path.length > maxPathChars) return `it is longer than ${maxPathChars} characters`
  const segments = bare.split("/")
  if (segments.includes("")) return "it has an empty part"
  if (segments.some((segment) => segment === "." || segment === "..")) return "it leaves its folder"
  if (segments.some((segment) => /[:<>"|?*]/.test(segment)))
    return "it holds a sign that not every system takes"
  if (segments.some((segment) => /[/\\:]|^\.{1,2}$/.test(segment.normalize("NFKC"))))
    return "it holds a letter that looks like a part of a path"
  if (InvisibleText.isIn(path)) return "it holds characters that nobody sees"
  if (segments.some((segment) => device.test(segment))) return "a part of it is the name of a device"
  if (segments.some((segment) => /[. ]$/.test(segment))) return "a part of it ends in a dot or a blank"
  return undefined
}

/** Upper case first: it knows more letters of the same kind (`ß` and `ss`, both forms of sigma). */
const folded = (path: string): string => path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")

/**
 * The first path that some file system would take for another one of the list: the same twice, other letter case, a
 * file where a folder is.
 */
export const clash = (paths: Iterable<string>): string | undefined => {
  const files = new Set<string>()
  const folders = new Map<string, string>()
  const named = new Set<string>()
  for (const path of paths) {
    const isFolder = path.endsWith("/")
    const bare = isFolder ? path.slice(0, -1) : path
    const segments = bare.split("/")
    const above = segments.slice(0, isFolder ? undefined : -1)
    for (let depth = 1; depth <= above.length; depth++) {
      const folder = above.slice(0, depth).join("/")
      const key = folded(folder)
      if (files.has(key) || (folders.get(key) ?? folder) !== folder) return path
      folders.set(key, folder)
    }
    const key = folded(bare)
    if (named.has(key) || (!isFolder && folders.has(key))) return path
    named.add(key)
    if (!isFolder) files.add(key)
  }
  return undefined
}
