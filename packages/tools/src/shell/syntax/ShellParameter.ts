/** What `${ }` gives: which forms only read a variable, which set or evaluate one. Pure. */
import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash"
import { doubtful, type WordPart } from "./ShellWord.ts"

const variable = /^[A-Za-z_]\w*$/
const special = /^(?:\d+|[@*#?$!-])$/

/** Words inside an operation; what they run is run. */
const operandsOf = (operation: ParameterOperation): ReadonlyArray<Word> => {
  switch (operation.type) {
    case "Default":
    case "Remove":
    case "Transform":
      return [operation.operand]
    case "Replace":
      return [operation.pattern, operation.replacement]
    case "Slice":
      return operation.length === undefined ? [operation.offset] : [operation.offset, operation.length]
    case "CaseModification":
      return operation.operand === undefined ? [] : [operation.operand]
    default:
      return []
  }
}

/** True for what neither sets a variable nor computes with or runs what one holds. */
const isHarmless = (operation: ParameterOperation): boolean => {
  switch (operation.type) {
    case "Default":
      return !operation.operator.endsWith("=")
    case "Slice":
      return operandsOf(operation).every(({ text }) => /^ ?-?\d+$/.test(text))
    case "Remove":
    case "Replace":
    case "CaseModification":
      return true
    default:
      return false
  }
}

interface ShellParameter {
  readonly part: WordPart
  /** Words in it that are expanded. */
  readonly operands: ReadonlyArray<Word>
}

/** `textOf`: the text of a word in which nothing is expanded. */
export const read = (
  { index, operation, parameter, prefix }: ParameterExpansionPart,
  quoted: boolean,
  textOf: (word: Word) => string | undefined
): ShellParameter => {
  const operands = [
    ...(index === undefined ? [] : [index]),
    ...(operation === undefined ? [] : operandsOf(operation))
  ]
  const isPlain = operation === undefined && index === undefined
  if (!variable.test(parameter) && !special.test(parameter))
    return { part: doubtful(`it expands \${${parameter}}, which is no name`), operands }
  if (isPlain && prefix === undefined)
    return {
      part: variable.test(parameter)
        ? { _tag: "Variable", name: parameter, quoted }
        : { _tag: "Unknown", isNumber: /[#?$!]/.test(parameter) },
      operands
    }
  const isAll = index === undefined || /^[@*]$/.test(index.text)
  if (prefix === "#" && operation === undefined && isAll)
    return { part: { _tag: "Unknown", isNumber: true }, operands: [] }
  const isFixed = index === undefined || /^(?:[@*]|\d+)$/.test(index.text)
  const evaluates = prefix === "!" || !isFixed || (operation !== undefined && !isHarmless(operation))
  const fallback = operation?.type === "Default" ? (textOf(operation.operand) ?? "") : ""
  return { part: { _tag: "Unknown", fallback, evaluates }, operands }
}
