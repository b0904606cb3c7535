/** What a person types when a call waits for approval, as a word or as a command. Pure. */
import type { ApprovalAnswer } from "@cow/core"

const yes = /^\s*\/?(?:y|yes|ok|a|allow|approve)[.!]?\s*$/i
const no = /^\s*\/?(?:n|no|d|deny)(?:[\s,.!:]+(.*?))?\s*$/is

/** Undefined: the text is no answer. What stands behind a no is its reason. */
export const parse = (line: string): Exclude<ApprovalAnswer, { _tag: "Unattended" }> | undefined => {
  if (yes.test(line)) return { _tag: "Approved" }
  const refused = no.exec(line)
  if (refused === null) return undefined
  const reason = refused[1]?.trim()
  return reason === undefined || reason === "" ? { _tag: "Refused" } : { _tag: "Refused", reason }
}

/** How the question is put. */
export const hint = "yes, or no and a reason"
