/** `edit`: one text of a file replaced by another. Finding the place is `TextEdit`; the result is `UnifiedDiff`. */
import { Excerpt, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CodeWarning from "../check/CodeWarning.ts"
import * as DocumentCheck from "../check/DocumentCheck.ts"
import * as Fault from "../check/Fault.ts"
import * as TargetFile from "../files/TargetFile.ts"
import * as Utf8Text from "../files/Utf8Text.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { failed } from "../tool/CallFailure.ts"
import type * as TextEdit from "./TextEdit.ts"

/** What stands on the diff library, which is loaded with the first edit. */
const edits = Effect.promise(async () => {
  const [{ apply }, { diff }] = await Promise.all([import("./TextEdit.ts"), import("./UnifiedDiff.ts")])
  return { apply, diff }
})

const maxDiffChars = 40_000
const maxNearestChars = 500

const Input = Schema.Struct({
  path: Schema.String.annotate({
    description: "The file: absolute, starting with ~, or relative to the workspace."
  }),
  oldText: Schema.String.annotate({
    description: "The text to replace, as it stands in the file, without line numbers. Empty: append."
  }),
  newText: Schema.String.annotate({ description: "The text to put there." }),
  replaceAll: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "True: replace every occurrence; else there must be exactly one."
    })
  )
})

const explain = (file: string, refused: TextEdit.EditRefused): string => {
  switch (refused._tag) {
    case "Same":
      return `nothing to change in ${file}: the new text is the same as the old`
    case "Echo":
      return `${file} is unchanged: newText carries the line numbers that read shows (N|). Give it without them`
    case "Ambiguous":
      return `${file} is unchanged: oldText has ${refused.count} occurrences. Give more of the text around the place, or set replaceAll`
    case "NotFound": {
      const { nearest } = refused
      const hint =
        nearest === undefined
          ? "Read the file again."
          : `The nearest line is ${nearest.line}: ${Excerpt.head(nearest.text, maxNearestChars)}`
      return `${file} is unchanged: oldText was not found in it. ${hint}`
    }
  }
}

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const targets = yield* TargetFile.make(settings)
  const warning = yield* CodeWarning.make(settings)

  return BuiltinTool.make({
    name: "edit",
    description:
      "Replaces one text in a file by another. oldText must occur exactly once (or set replaceAll); blanks may differ where only one place fits. Answers with a diff.",
    input: Input,
    spec: { mutates_data: true },
    mildest: { _tag: "WritesWorkspace" },
    judge: ({ path }, workspace) => targets.judge(path, workspace),
    run: Effect.fn("EditTool.run")(function* ({ path, oldText, newText, replaceAll = false }, call) {
      const file = yield* targets.open(path, call)
      if (file.before === undefined)
        return yield* failed(`no such file: ${file.file}. Use write to make a new one`)
      const before = Utf8Text.decode(file.before)
      if (before === undefined) return yield* failed(`${file.file} is not UTF-8 text and cannot be edited`)
      const { apply, diff } = yield* edits
      const edited = apply(before, { oldText, newText, replaceAll })
      if (Result.isFailure(edited)) return yield* failed(explain(file.file, edited.failure))
      const { text, replacements } = edited.success
      const bare = (value: string) => value.replace(/^\ufeff/, "")
      const fault = DocumentCheck.dataFault(file.file, bare(text), bare(before))
      // A file that was broken may be mended step by step.
      if (fault !== undefined && DocumentCheck.dataFault(file.file, bare(before), bare(before)) === undefined)
        return yield* failed(
          `${file.file} is unchanged: it would not parse any more: ${Fault.describe(fault)}`
        )
      yield* targets.replace(file, new TextEncoder().encode(text), call)
      const warned = yield* warning(file.file, before, text)
      const changes = diff(file.file, before, text)
      const count = replacements > 1 ? `, replacements: ${replacements}` : ""
      const shown = Excerpt.middle(changes.text, maxDiffChars, "\n[… the middle of the diff is left out …]\n")
      return ToolResult.ok(
        `Edited ${file.file}, first changed line: ${changes.firstChangedLine}${count}\n${shown}${file.warning}${warned}`,
        {
          structured: {
            path: file.file,
            first_changed_line: changes.firstChangedLine,
            ...(replacements > 1 ? { replacements } : {})
          }
        }
      )
    })
  })
})
