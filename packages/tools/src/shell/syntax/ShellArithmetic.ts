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

/** The words that an expression computes with. `undefined`: there is no expression, or none that could be read. */
export const leaves = (
  expression: ArithmeticExpression
): ReadonlyArray<ArithmeticWord | ArithmeticCommandExpansion> => {
  switch (expression.type) {
    case "ArithmeticBinary":
      return [...leaves(expression.left), ...leaves(expression.right)]
    case "ArithmeticUnary":
      return leaves(expression.operand)
    case "ArithmeticTernary":
      return [expression.test, expression.consequent, expression.alternate].flatMap(leaves)
    case "ArithmeticGroup":
      return leaves(expression.expression)
    default:
      return [expression]
  }
}
