/** What stands between `[[` and `]]`: words that are compared, none of them run. Other brackets are `ShellCommand`. */
import { computed, type Scanner } from "./ShellScanner.ts"
import { bare, ShellFault, type Word } from "./ShellSyntax.ts"

/** Of `[[ ]]`: its words, computed with where it compares numbers or asks for a variable by name. */
const compared = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const computes = words.some((word) => /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(bare(word) ?? ""))
  if (!computes) return words
  return words.map(({ parts }) => {
    const text = parts.map((part) => (part._tag === "Text" ? part.text : "")).join("")
    return text.startsWith("-") ? { parts } : { parts: computed(text, parts) }
  })
}

/** At `[[`: the words up to `]]`, which is consumed. `<`, `>`, `(`, `&&` between them are its own. */
export const readTest = (scan: Scanner): ReadonlyArray<Word> => {
  scan.at += 2
  const words: Array<Word> = []
  for (;;) {
    scan.skipLines()
    const word = scan.word()
    if (word !== undefined) {
      if (bare(word) === "]]") return compared(words)
      words.push(word)
    } else if (scan.at >= scan.source.length) throw new ShellFault('"]]" is missing')
    else scan.at++
  }
}
