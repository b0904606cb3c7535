/** What is computed with in `$(( ))`, `(( ))`, `[[ -eq ]]` and in brackets behind a name. Pure. */
import type { ArithmeticCommandExpansion, ArithmeticExpression, ArithmeticWord } from "unbash"
import { type UnknownPart, unknownOf, type WordPart } from "./ShellWord.ts"

/** What a text that is computed with may do: the names in it, and whether their values are evaluated. */
export const computed = (text: string, parts: ReadonlyArray<WordPart>): ReadonlyArray<UnknownPart> => {
  const numbers = [...(text.match(/(?<!\w)[A-Za-z_]\w*/g) ?? [])]
  for (const part of parts) if (part._tag === "Variable") numbers.push(part.name)
  const evaluates =
    /[$`\\]/.test(text) || parts.some((part) => part._tag === "Unknown" && part.isNumber !== true)
  return [{ _tag: "Unknown", isNumber: true, evaluates, numbers }, ...unknownOf(parts)]
}

/** The words that an expression computes with, in the order of the text. */
export const leaves = (
  expression: ArithmeticExpression
): ReadonlyArray<ArithmeticWord | ArithmeticCommandExpansion> => {
  const found: Array<ArithmeticWord | ArithmeticCommandExpansion> = []
  // Long sums are deep: a list of what is left to do takes no stack.
  const left: Array<ArithmeticExpression> = [expression]
  for (let node = left.pop(); node !== undefined; node = left.pop())
    switch (node.type) {
      case "ArithmeticBinary":
        left.push(node.right, node.left)
        break
      case "ArithmeticUnary":
        left.push(node.operand)
        break
      case "ArithmeticTernary":
        left.push(node.alternate, node.consequent, node.test)
        break
      case "ArithmeticGroup":
        left.push(node.expression)
        break
      default:
        found.push(node)
    }
  return found
}
