/**
 * What a shell text runs, step by step: its statements as chains of commands with what joins them, and what may run
 * or is expanded in brackets, loops, conditions and functions. Says not in which case. Pure.
 */
import type {
  CommandNode,
  CompoundList,
  Redirection,
  Script,
  Statement,
  TestExpression,
  Command as TreeCommand
} from "unbash"
import { nameOf, redirectOf, type ShellRedirect } from "./ShellSimple.ts"
import type { ShellWord } from "./ShellWord.ts"
import { arithmetic, computedOf, wordOf } from "./WordReading.ts"

/** What stands between a command and the next one of its chain. */
type Joint = "&" | "&&" | "||" | "|"

export interface ShellStep {
  readonly node: CommandNode
  /** Behind the last: `&` or nothing. */
  readonly joint: Joint | undefined
  /** True: it goes well where the command does not. */
  readonly negated: boolean
}

export type Chain = ReadonlyArray<ShellStep>

/** Commands in brackets, a loop, a condition, a function: whatever of them may run. */
interface ShellGroup {
  /** True: what it does to the working folder ends with it. */
  readonly subshell: boolean
  readonly body: ReadonlyArray<Chain>
  /** Variables it gives values: of `for`, `select`, `coproc`. */
  readonly sets: ReadonlyArray<string>
  /** Words that are expanded but not run: of `for`, `case`, `[[`. */
  readonly words: ReadonlyArray<ShellWord>
  readonly redirects: ReadonlyArray<ShellRedirect>
}

const chainOf = ({ background, command }: Statement): Chain => {
  const end: Joint | undefined = background === true ? "&" : undefined
  const parts = command.type === "AndOr" ? command.commands : [command]
  const joints = command.type === "AndOr" ? command.operators : []
  return parts.flatMap((part, at): Chain => {
    const joint = joints[at] ?? end
    if (part.type !== "Pipeline") return [{ node: part, joint, negated: false }]
    const negated = part.prefixes.some(({ type }) => type === "Negation")
    return part.commands.map((node, place) => ({
      node,
      joint: place < part.commands.length - 1 ? "|" : joint,
      negated
    }))
  })
}

export const chainsOf = ({ commands }: Script | CompoundList): ReadonlyArray<Chain> => commands.map(chainOf)

const numeric = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/

/** Of `[[ ]]`: its words, computed with where it compares numbers or asks for a variable by name. */
const tested = (expression: TestExpression): ReadonlyArray<ShellWord> => {
  switch (expression.type) {
    case "TestUnary":
      return [(numeric.test(expression.operator) ? computedOf : wordOf)(expression.operand)]
    case "TestBinary":
      return [expression.left, expression.right].map(numeric.test(expression.operator) ? computedOf : wordOf)
    case "TestLogical":
      return expression.operands.flatMap(tested)
    case "TestNot":
      return tested(expression.operand)
    case "TestGroup":
      return tested(expression.expression)
  }
}

type Compound = Exclude<CommandNode, TreeCommand>

const group = (lists: ReadonlyArray<CompoundList>, more: Partial<ShellGroup> = {}): ShellGroup => ({
  subshell: false,
  body: lists.flatMap(chainsOf),
  sets: [],
  words: [],
  redirects: [],
  ...more
})

/** What is done around commands: redirections of brackets and loops. */
const redirected = (inner: ShellGroup, redirects: ReadonlyArray<Redirection>): ShellGroup => ({
  ...inner,
  redirects: [...inner.redirects, ...redirects.map(redirectOf)]
})

export const groupOf = (node: Compound | CompoundList): ShellGroup => {
  switch (node.type) {
    case "CompoundList":
      return group([node])
    case "Redirected":
      return redirected(groupOf(node.command), node.redirects)
    case "BraceGroup":
      return group([node.body])
    case "Subshell":
      return group([node.body], { subshell: true })
    case "If":
      return group([
        node.clause,
        node.then,
        ...node.elif.flatMap(({ clause, then }) => [clause, then]),
        ...(node.else === undefined ? [] : [node.else])
      ])
    case "While":
      return group([node.clause, node.body])
    case "For":
    case "Select":
      return group([node.body], { sets: [nameOf(node.name)], words: (node.wordlist ?? []).map(wordOf) })
    case "ArithmeticFor": {
      const parts = [node.initialize, node.test, node.update].flatMap((one) => arithmetic(one, ""))
      return group([node.body], { words: [{ parts }] })
    }
    case "ArithmeticCommand":
      return group([], { words: [{ parts: arithmetic(node.expression, node.body) }] })
    case "TestCommand":
      return group([], { words: tested(node.expression) })
    case "Case":
      return group(
        node.items.map(({ body }) => body),
        { words: [wordOf(node.word), ...node.items.flatMap(({ pattern }) => pattern.map(wordOf))] }
      )
    case "Function":
      return groupOf(node.body)
    case "Coproc": {
      const sets = [node.name === undefined ? "COPROC" : nameOf(node.name)]
      return node.body.type === "Command"
        ? group([], { subshell: true, sets, body: [[{ node: node.body, joint: "&", negated: false }]] })
        : { ...groupOf(node.body), subshell: true, sets }
    }
  }
}
