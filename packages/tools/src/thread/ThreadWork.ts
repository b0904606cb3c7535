/** What may be asked of a thread, and its answers: the one thing that both sides of it know. */
import type { PdfPages } from "../files/PdfPages.ts"
import type { PageText } from "../web/PageText.ts"

export interface ThreadWork {
  readonly page: {
    readonly input: { readonly html: string; readonly address: string }
    readonly output: PageText
  }
  readonly pdf: {
    readonly input: { readonly bytes: Uint8Array; readonly pages: string | undefined }
    readonly output: PdfPages
  }
}

export type WorkName = keyof ThreadWork

export interface Asked<Name extends WorkName = WorkName> {
  readonly name: Name
  readonly input: ThreadWork[Name]["input"]
}

export type Answered<Name extends WorkName = WorkName> =
  | { readonly _tag: "Done"; readonly output: ThreadWork[Name]["output"] }
  | { readonly _tag: "Failed"; readonly message: string }
