/**
 * What providers write where they give no code of its own: a request that is too long, and calls and results that do
 * not match. The only place that looks at the text of an error.
 */

const overflow: ReadonlyArray<RegExp> = [
  /prompt is too long/i,
  /request_too_large/i,
  /too many (input |prompt )?tokens/i,
  /context[ _](length|window|size|limit)[ _]?(is |was )?(exceed|overflow)/i,
  /maximum context (length|window)/i,
  /exceeds? (the |this |your )?(model'?s |available |maximum )*(context|input token|prompt token)/i,
  /exceeded model token limit/i,
  /(input|prompt)( length| token count)? .{0,80}exceeds? .{0,60}(tokens|context|limit)/i,
  /input is too long for (the )?(requested )?model/i,
  /range of input length should be/i,
  /reduce (the length of )?(the|your) (messages|prompt|input)/i
]

/** Files and pictures have limits of their own; a shorter history does not help. */
const otherLimit = /\b(image|file|document|attachment|pdf)s?\b.{0,40}\b(too large|exceed|too big)/i

export const isOverflow = (message: string): boolean =>
  !otherLimit.test(message) && overflow.some((pattern) => pattern.test(message))

const pairing: ReadonlyArray<RegExp> = [
  /tool_use\b|tool_use_id|tool_result|tool_call_id/i,
  /no tool (call|output) found/i,
  /tool_calls.{0,80}(must be followed|preced|response)/i,
  /function response parts? .{0,60}function call/i
]

/** Only of use for a request that was refused as wrong (400). */
export const isPairing = (message: string): boolean => pairing.some((pattern) => pattern.test(message))
