/**
 * Globs over paths with `/`: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`. A glob without `/`
 * means the name alone, in any folder. Pure.
 */

const group = (source: string, from: number): number => {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") at++
    else if (source[at] === "{") depth++
    else if (source[at] === "}" && --depth === 0) return at
  }
  return -1
}

const alternatives = (source: string): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  for (const char of source) {
    if (char === "{") depth++
    if (char === "}") depth--
    if (char === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += char
  }
  return parts
}

const translate = (glob: string): string => {
  let out = ""
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? ""
    if (glob.startsWith("**/", at)) {
      out += "(?:[^/]+/)*"
      at += 2
    } else if (glob.startsWith("**", at)) {
      out += ".*"
      at += 1
    } else if (char === "*") out += "[^/]*"
    else if (char === "?") out += "[^/]"
    else if (char === "[") {
      const found = /^\[([!^]?)(\]?[^\]]*)\]/.exec(glob.slice(at))
      if (found === null) out += "\\["
      else {
        out += `[${found[1] === "" ? "" : "^"}${(found[2] ?? "").replace(/[\\[\]&~|]/g, "\\$&")}]`
        at += found[0].length - 1
      }
    } else if (char === "{") {
      const end = group(glob, at)
      if (end < 0) out += "\\{"
      else {
        out += `(?:${alternatives(glob.slice(at + 1, end))
          .map(translate)
          .join("|")})`
        at = end
      }
    } else if (char === "\\" && at + 1 < glob.length) out += RegExp.escape(glob[++at] ?? "")
    else out += RegExp.escape(char)
  }
  return out
}

/** A test of a path relative to where the glob counts from, or `undefined` for a glob that is none. */
export const compile = (glob: string): ((path: string) => boolean) | undefined => {
  const inName = !glob.includes("/")
  try {
    const pattern = new RegExp(`^${translate(glob.replace(/^(?:\.?\/)+/, ""))}$`, "s")
    return (path) => pattern.test(inName ? path.slice(path.lastIndexOf("/") + 1) : path)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** True when a text has a character that means something in a glob. */
export const isGlob = (text: string): boolean => /[*?[{]/.test(text)
