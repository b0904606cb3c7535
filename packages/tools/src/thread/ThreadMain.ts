/**
 * The other side of `WorkThread`: does one piece of work and answers. It is an entry of its own, built into the
 * executable beside the command line, and loads the libraries of the work it is given.
 */
import * as Thrown from "../tool/Thrown.ts"
import type { Answered, Asked, ThreadWork, WorkName } from "./ThreadWork.ts"

declare const self: { onmessage: ((event: { readonly data: Asked }) => void) | null }
declare const postMessage: (answer: Answered) => void

const works: {
  readonly [Name in WorkName]: (input: ThreadWork[Name]["input"]) => Promise<ThreadWork[Name]["output"]>
} = {
  page: async ({ address, html }) => (await import("../web/PageText.ts")).read(html, address),
  pdf: async ({ bytes, pages }) => (await import("../files/PdfPages.ts")).read(bytes, pages)
}

const work = <Name extends WorkName>({ input, name }: Asked<Name>) => works[name](input)

self.onmessage = ({ data }) => {
  work(data).then(
    (output) => postMessage({ _tag: "Done", output }),
    (cause: unknown) => postMessage({ _tag: "Failed", message: Thrown.messageOf(cause) })
  )
}
