/**
 * The simplest frontmatter, read without the YAML parser: one `key: value` a line, every value a plain word or
 * sentence. Saves loading two modules where every skill is written so, as the bundled ones are.
 *
 * Pure. Whatever is not certainly this simple is left to `Frontmatter`; a property test holds the two equal.
 */

const line =
  /^([A-Za-z][A-Za-z0-9_-]{0,63}): ([A-Za-z0-9][\x20-\x7E\xA1-\u1FFF\u2010-\u2027\u2030-\u205E\u2070-\uD7FF]*)$/
/** What ends a plain value early or makes it no value: a comment, a key inside, a word for null. */
const doubtful = /:(?: |$)| #|^null$/i

/** The values, or undefined when the block is not that simple. A null value never comes back. */
export const parse = (block: string): Readonly<Record<string, string>> | undefined => {
  const values = new Map<string, string>()
  for (const text of block.split("\n")) {
    const [, key, value] = line.exec(text.replace(/[ \t]+$/, "")) ?? []
    if (key === undefined || value === undefined || doubtful.test(value)) return undefined
    if (values.has(key) || key === "metadata" || /^null$/i.test(key)) return undefined
    values.set(key, value)
  }
  return Object.fromEntries(values)
}
