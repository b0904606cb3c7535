/**
 * One simple command of a shell text: its assignments, words and redirections. Lists, groups and loops are
 * `ShellCommand`.
 */
import { computed, type Scanner } from "./ShellScanner.ts"
import { type Redirect, ShellFault, type SimpleCommand, type Word } from "./ShellSyntax.ts"

const redirection = /^(?:\d+|\{\w+\})?(<<<|<<-|<<|<&|<>|<|>>|>\||>&|>|&>>|&>)/
const assignment = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?\+?=/

const fault = (message: string): never => {
  throw new ShellFault(message)
}

/** Reads a redirection if one stands here. */
export const readRedirect = (scan: Scanner, into: Array<Redirect>): boolean => {
  if (!/[\d<>&{]/.test(scan.char) || scan.looksAt("<(") || scan.looksAt(">(")) return false
  const found = redirection.exec(scan.source.slice(scan.at, scan.at + 64))
  const operator = found?.[1]
  if (found === null || operator === undefined) return false
  scan.at += found[0].length
  if (operator === "<<" || operator === "<<-") {
    into.push({ operator: "<<", target: scan.heredoc(operator === "<<-") })
    return true
  }
  scan.skipBlanks()
  into.push({ operator, target: scan.word() ?? fault(`"${operator}" without a target`) })
  return true
}

interface Assignment {
  readonly name: string
  readonly value: Word
}

const isEmpty = ({ parts }: Word): boolean => parts.every((part) => part._tag === "Text" && part.text === "")

/** `NAME=( … )`: its words are expanded, none is run. */
const readArray = (scan: Scanner, into: Array<Assignment>, name: string): void => {
  scan.at++
  for (;;) {
    scan.skipLines()
    if (scan.eat(")")) return
    into.push({ name, value: scan.word() ?? fault("a list is not closed") })
  }
}

const readAssignment = (scan: Scanner, { parts }: Word, into: Array<Assignment>): boolean => {
  const [first, ...rest] = parts
  const found = first?._tag === "Text" && !first.quoted ? assignment.exec(first.text) : null
  const [all = "", name, index] = found ?? []
  if (name === undefined || first?._tag !== "Text") return false
  if (index !== undefined) into.push({ name: "_", value: { parts: computed(index, []) } })
  const value: Word = { parts: [{ ...first, text: first.text.slice(all.length) }, ...rest] }
  into.push({ name, value })
  if (scan.char === "(" && isEmpty(value)) readArray(scan, into, name)
  return true
}

/** `"function"`: it was the head of one, `NAME()`. */
export const readSimple = (scan: Scanner): SimpleCommand | "function" => {
  const redirects: Array<Redirect> = []
  const assignments: Array<Assignment> = []
  const words: Array<Word> = []
  for (scan.skipBlanks(); ; scan.skipBlanks()) {
    if (readRedirect(scan, redirects)) continue
    const word = scan.word()
    if (word === undefined) {
      const mayBeFunction = words.length === 1 && assignments.length === 0 && redirects.length === 0
      if (mayBeFunction && /^\([ \t]*\)/.test(scan.source.slice(scan.at, scan.at + 16))) {
        scan.at = scan.source.indexOf(")", scan.at) + 1
        return "function"
      }
      break
    }
    if (words.length > 0 || !readAssignment(scan, word, assignments)) words.push(word)
  }
  if (words.length + assignments.length + redirects.length === 0)
    fault(
      scan.at >= scan.source.length ? "a command is missing at its end" : `"${scan.char}" is not expected`
    )
  return { _tag: "Simple", assignments, words, redirects }
}
