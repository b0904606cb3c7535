/** Small PDFs, made object by object: each page a list of lines in Helvetica. */
import { createHash } from "node:crypto"

const escaped = (text: string): string => text.replace(/[\\()]/g, "\\$&")

/** The password padding of the standard. */
const padding = Uint8Array.from(
  "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a".match(/../g) ?? [],
  (pair) => Number.parseInt(pair, 16)
)

/** An encryption dictionary whose user password is not the empty one. */
const lock = (): string => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
  const owner = createHash("sha256").update("owner").digest()
  return `<</Filter/Standard/V 1/R 2/Length 40/P -4/O<${hex(owner)}>/U<${hex(padding)}>>>`
}

export const pdf = (
  pages: ReadonlyArray<ReadonlyArray<string>>,
  { locked = false }: { readonly locked?: boolean } = {}
): Uint8Array => {
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ...pages.flatMap((lines, at) => {
      const rows = lines.map((line) => `(${escaped(line)}) Tj 0 -30 Td`).join(" ")
      const content = `BT /F1 24 Tf 72 720 Td ${rows} ET`
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + 2 * at} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
        `<</Length ${content.length}>>stream\n${content}\nendstream`
      ]
    }),
    ...(locked ? [lock()] : [])
  ]
  let text = "%PDF-1.4\n"
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj${object}endobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  const secured = locked ? `/Encrypt ${objects.length} 0 R/ID[<${"0".repeat(32)}><${"0".repeat(32)}>]` : ""
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R${secured}>>\nstartxref\n${text.length}\n%%EOF`
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0))
}
