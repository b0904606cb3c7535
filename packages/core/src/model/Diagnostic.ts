/** Something that was skipped, refused or mended, and is reported instead of dropped in silence. */
import * as Schema from "effect/Schema"

export const Diagnostic = Schema.Struct({
  /** The file, or the part of Cow, it is about. */
  path: Schema.String,
  severity: Schema.Literals(["error", "warning"]),
  message: Schema.String
})
export type Diagnostic = typeof Diagnostic.Type

export const warning = (path: string, message: string): Diagnostic => ({ path, severity: "warning", message })
export const error = (path: string, message: string): Diagnostic => ({ path, severity: "error", message })
