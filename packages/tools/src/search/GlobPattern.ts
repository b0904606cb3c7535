/**
 * Globs over paths with `/`: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`, `!` in front for all
 * others. A glob without `/` means the name alone, in any folder. This is the layer for Bun's matcher, which takes
 * no longer for a bad glob than for a good one. Pure.
 */

/** A test of a path relative to where the glob counts from. */
export const compile = (glob: string): ((path: string) => boolean) => {
  const inName = !glob.includes("/")
  const matcher = new Bun.Glob(glob.replace(/^(?:\.?\/)+/, ""))
  return (path) => matcher.match(inName ? path.slice(path.lastIndexOf("/") + 1) : path)
}

/** True when a text has a character that means something in a glob. */
export const isGlob = (text: string): boolean => /[*?[{]/.test(text)
