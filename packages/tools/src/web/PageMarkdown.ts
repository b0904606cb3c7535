/**
 * Elements of a page as Markdown for a reader who wants the text: links and pictures by their whole addresses, tables
 * as rows, code as it stands, and no signs escaped. Pure. Which elements is `PageText`.
 */
import TurndownService from "turndown"
import type { HtmlElement, HtmlNode } from "./HtmlDocument.ts"

/** A longer address is data, not a place. */
const maxAddressChars = 2000

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const elementsIn = (node: HtmlNode): ReadonlyArray<HtmlElement> => {
  const found: Array<HtmlElement> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.nodeType === 1) found.push(child as HtmlElement)
  return found
}

const parentNamed = (node: HtmlNode, name: string): HtmlElement | undefined => {
  for (let at = node.parentNode; at !== null; at = at.parentNode) if (at.nodeName === name) return at
  return undefined
}

const isCell = ({ nodeName }: HtmlNode): boolean => nodeName === "TD" || nodeName === "TH"

/** A table that holds tables or one cell a row is there for the looks. */
const isForLooks = (table: HtmlElement): boolean =>
  table.getElementsByTagName("table").length > 0 ||
  [...table.getElementsByTagName("tr")].every((row) => elementsIn(row).filter(isCell).length < 2)

/** A fence longer than any in the code. */
const fenced = (code: string, language: string): string => {
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([found]) => found.length))
  const fence = "`".repeat(longest + 1)
  return `\n\n${fence}${language}\n${code.replace(/\n$/, "")}\n${fence}\n\n`
}

/** One for each page: it remembers what it has seen of lists and tables. */
const service = (): TurndownService<HtmlElement> => {
  const places = new Map<HtmlNode, number>()
  const looks = new Map<HtmlElement, boolean>()
  const headed = new Set<HtmlElement>()
  const forLooks = (node: HtmlNode): boolean => {
    const table = parentNamed(node, "TABLE")
    if (table === undefined) return true
    const known = looks.get(table) ?? isForLooks(table)
    looks.set(table, known)
    return known
  }
  const turndown = new TurndownService<HtmlElement>({
    headingStyle: "atx",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
    br: ""
  })
  turndown.escape = (text) => text
  return turndown
    .addRule("heading", {
      filter: ["h1", "h2", "h3", "h4", "h5", "h6"],
      replacement: (content, { nodeName }) =>
        oneLine(content) === "" ? "" : `\n\n${"#".repeat(Number(nodeName[1]))} ${oneLine(content)}\n\n`
    })
    .addRule("link", {
      filter: "a",
      replacement: (content, node) => {
        const [text, href] = [oneLine(content), node.getAttribute("href") ?? ""]
        if (text === "") return ""
        if (href === "" || href.length > maxAddressChars) return content
        const [, before = "", after = ""] = /^(\s?)[\s\S]*?(\s?)$/.exec(content) ?? []
        return `${before}[${text}](${href.replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"))})${after}`
      }
    })
    .addRule("picture", {
      filter: "img",
      replacement: (_content, node) => {
        const [alt, src] = [oneLine(node.getAttribute("alt") ?? ""), node.getAttribute("src") ?? ""]
        if (alt === "") return ""
        return src === "" || src.length > maxAddressChars ? alt : `![${alt}](${src})`
      }
    })
    .addRule("item", {
      filter: "li",
      replacement: (content, node) => {
        const list = node.parentNode ?? node
        const place = places.get(list) ?? Number.parseInt(list.getAttribute("start") ?? "1", 10)
        places.set(list, place + 1)
        const mark = list.nodeName === "OL" && Number.isSafeInteger(place) ? `${place}. ` : "- "
        const text = content.trim().replace(/\n/g, `\n${" ".repeat(mark.length)}`)
        return text === "" ? "" : `${mark}${text}\n`
      }
    })
    .addRule("code", {
      filter: "pre",
      replacement: (_content, node) => {
        const language = /(?:language|lang)-([\w+#-]+)/.exec(
          [node, ...elementsIn(node)].map((one) => one.getAttribute("class") ?? "").join(" ")
        )?.[1]
        return fenced(node.textContent ?? "", language ?? "")
      }
    })
    .addRule("cell", {
      filter: ["td", "th"],
      replacement: (content, node) =>
        forLooks(node) ? `\n${content.trim()}\n` : ` ${oneLine(content).replaceAll("|", "\\|")} |`
    })
    .addRule("row", {
      filter: "tr",
      replacement: (content, node) => {
        if (forLooks(node)) return `\n${content.trim()}\n`
        const table = parentNamed(node, "TABLE")
        const cells = elementsIn(node).filter(isCell).length
        if (cells === 0 || table === undefined) return ""
        const isFirst = !headed.has(table)
        headed.add(table)
        return `|${content}\n${isFirst ? `|${" --- |".repeat(cells)}\n` : ""}`
      }
    })
    .addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` })
    .addRule("part of a table", {
      filter: ["thead", "tbody", "tfoot"],
      replacement: (content) => content
    })
    .addRule("caption", {
      filter: ["caption", "dt", "dd", "summary", "figcaption"],
      replacement: (content) => `\n${content.trim()}\n`
    })
}

/** Blank lines are single ones; lines end without blanks. */
export const render = (element: HtmlElement): string =>
  service()
    .turndown(element)
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
