/**
 * Finding a text whose blanks differ: runs of blanks and tabs match each other, indents do not count, line breaks
 * must be where they are. And writing its replacement with the indents the file has. Pure.
 */
import * as LineDiff from "./LineDiff.ts"

export interface Hit {
  readonly start: number
  readonly end: number
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

const linePattern = (line: string): string => {
  const words = line.split(/[ \t]+/).filter((word) => word !== "")
  return words.map(escape).join("[ \\t]+")
}

/** Every place where `wanted` stands but for its blanks; none for a blank text. */
export const find = (text: string, wanted: string): ReadonlyArray<Hit> => {
  const lines = wanted.split("\n")
  if (wanted.trim() === "") return []
  const pattern = lines
    .map((line, at) => {
      // One run of blanks, begun at its begin: else a long one is tried in every way to share it and from every place.
      if (/^[ \t]*$/.test(line)) return at > 0 ? "[ \\t]*" : line === "" ? "(?<![ \\t])[ \\t]*" : "^[ \\t]*"
      const lead = at > 0 || indentOf(line) !== "" ? "[ \\t]*" : ""
      const trail = at < lines.length - 1 || /[ \t]$/.test(line) ? "[ \\t]*" : ""
      return (at === 0 && lead !== "" ? "^" : "") + lead + linePattern(line) + trail
    })
    .join("\\n")
  return [...text.matchAll(new RegExp(pattern, "gm"))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length
  }))
}

/**
 * The replacement as it is written over `matched`, what the file has in place of `wanted`: lines that stay are
 * the file's own, the others get the indent the file uses where the caller used its own.
 */
export const rewrite = (matched: string, wanted: string, replacement: string): string => {
  const have = matched.split("\n")
  const old = wanted.split("\n")
  const next = replacement.split("\n")
  const indents = new Map<string, string>()
  old.forEach((line, at) => {
    // The first line may begin in the middle of a line of the file: then its indent stands before the match.
    if (line.trim() === "" || (at === 0 && indentOf(line) === "" && indentOf(have[at] ?? "") === "")) return
    if (!indents.has(indentOf(line))) indents.set(indentOf(line), indentOf(have[at] ?? ""))
  })
  const [base] = indents
  const reindent = (line: string): string => {
    const indent = indentOf(line)
    const known = indents.get(indent)
    if (line.trim() === "" || base === undefined) return line
    if (known !== undefined) return known + line.slice(indent.length)
    const [from, to] = base
    if (indent.startsWith(from)) return to + line.slice(from.length)
    const less = from.length - indent.length
    return to.slice(0, Math.max(0, to.length - less)) + line.slice(indent.length)
  }
  const same = LineDiff.pairs(old, next)
  return next
    .map((line, at) => {
      const kept = same.get(at)
      if (kept !== undefined) return have[kept] ?? line
      return at === 0 && indentOf(old[0] ?? "") === "" ? line : reindent(line)
    })
    .join("\n")
}
