/**
 * An HTML page as a document: whole whatever its source leaves out, without what nobody sees, no deeper than what
 * reads it can bear, its addresses absolute. Pure but for the document itself, which is the caller's. What of it is
 * worth reading is `PageText`.
 */
import { parseHTML } from "linkedom"

/** What is used of a node. */
export interface HtmlNode {
  /** 1 element, 3 text, 8 comment. */
  readonly nodeType: number
  /** In capitals. */
  readonly nodeName: string
  textContent: string | null
  readonly parentNode: HtmlElement | null
  readonly firstChild: HtmlNode | null
  readonly nextSibling: HtmlNode | null
  readonly remove: () => void
}

export interface HtmlElement extends HtmlNode {
  readonly getAttribute: (name: string) => string | null
  readonly hasAttribute: (name: string) => boolean
  readonly setAttribute: (name: string, value: string) => void
  readonly removeAttribute: (name: string) => void
  readonly insertBefore: (node: HtmlNode, before: HtmlNode | null) => void
  readonly getElementsByTagName: (name: string) => ReadonlyArray<HtmlElement>
}

export interface HtmlDocument extends HtmlNode {
  readonly documentElement: HtmlElement | null
  readonly createElement: (name: string) => HtmlElement
  readonly cloneNode: (deep: boolean) => HtmlDocument
  readonly getElementsByTagName: (name: string) => ReadonlyArray<HtmlElement>
}

export interface Page {
  readonly document: HtmlDocument
  readonly body: HtmlElement
  /** Empty: it has none. */
  readonly title: string
  /** Elements of the body that are left. */
  readonly elements: number
}

/** Deeper elements are text only. No page for people comes near it; what reads a page takes the square of it. */
const maxDepth = 100

/** Elements that are not text. */
const unseen = new Set(
  "TITLE SCRIPT STYLE NOSCRIPT TEMPLATE SVG MATH IFRAME OBJECT EMBED APPLET CANVAS SELECT DATALIST AUDIO VIDEO LINK META DIALOG".split(
    " "
  )
)
/** What may stand in a head; everything else there belongs to the body. */
const ofHead = new Set("TITLE META LINK STYLE SCRIPT BASE NOSCRIPT TEMPLATE".split(" "))
/** Elements in a line: text goes on over their borders. */
const inline = new Set(
  "A ABBR B BDI BDO BIG CITE CODE DEL DFN EM FONT I INS KBD LABEL MARK Q S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR".split(
    " "
  )
)
const hiding =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$))/i

const isElement = (node: HtmlNode): node is HtmlElement => node.nodeType === 1

const isUnseen = (element: HtmlElement): boolean =>
  unseen.has(element.nodeName) ||
  (element.hasAttribute("hidden") && element.getAttribute("hidden") !== "until-found") ||
  hiding.test(element.getAttribute("style") ?? "") ||
  (element.nodeName === "INPUT" && element.getAttribute("type") === "hidden")

const childrenOf = (node: HtmlNode | null): ReadonlyArray<HtmlNode> => {
  const found: Array<HtmlNode> = []
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) found.push(child)
  return found
}

/** The next node behind a whole one, within `top`, and how many levels further up it is. */
const behind = (node: HtmlNode, top: HtmlNode): readonly [next: HtmlNode | undefined, up: number] => {
  let up = 0
  for (let at: HtmlNode | null = node; at !== null && at !== top; at = at.parentNode, up++)
    if (at.nextSibling !== null) return [at.nextSibling, up]
  return [undefined, up]
}

/** The text of all there is in an element, a line for each block. */
const flatText = (element: HtmlElement): string => {
  let text = ""
  for (let node: HtmlNode | undefined = element.firstChild ?? undefined; node !== undefined; ) {
    const here: HtmlNode = node
    if (here.nodeType === 3) text += here.textContent ?? ""
    const isOpen = isElement(here) && !isUnseen(here)
    if (isOpen && !inline.has(here.nodeName)) text += "\n"
    node = (isOpen ? here.firstChild : null) ?? behind(here, element)[0]
  }
  return text
}

/** Makes one of texts side by side: the parser begins one at every sign that is escaped. */
const joinTexts = (first: HtmlNode): void => {
  if (first.nodeType !== 3 || first.nextSibling?.nodeType !== 3) return
  const texts: Array<string> = [first.textContent ?? ""]
  for (let next: HtmlNode | null = first.nextSibling; next?.nodeType === 3; next = first.nextSibling) {
    texts.push(next.textContent ?? "")
    next.remove()
  }
  first.textContent = texts.join("")
}

/** Takes out what is not seen and flattens what is too deep; gives how many elements are left. */
const prune = (body: HtmlElement): number => {
  let [elements, depth] = [0, 1]
  for (let node: HtmlNode | undefined = body.firstChild ?? undefined; node !== undefined; ) {
    const here: HtmlNode = node
    joinTexts(here)
    const isGone = here.nodeType === 8 || (isElement(here) && isUnseen(here))
    if (isElement(here) && !isGone) {
      elements++
      if (depth >= maxDepth && here.firstChild !== null) here.textContent = flatText(here)
      if (here.firstChild !== null) {
        node = here.firstChild
        depth++
        continue
      }
    }
    const [next, up] = behind(here, body)
    if (isGone) here.remove()
    node = next
    depth -= up
  }
  return elements
}

const parsed = (html: string): HtmlDocument => parseHTML(html).document as unknown as HtmlDocument

/** Moves nodes, in their order. */
const move = (nodes: ReadonlyArray<HtmlNode>, into: HtmlElement, before: HtmlNode | null): void => {
  for (const node of nodes) into.insertBefore(node, before)
}

/** The body, with all in it that the source has put beside it or left open in the head. */
const wholeBody = (document: HtmlDocument, root: HtmlElement): HtmlElement => {
  const parts = childrenOf(root)
  const isPart = (name: string) => (node: HtmlNode) => node.nodeName === name
  const found = parts.find(isPart("BODY")) as HtmlElement | undefined
  const body = found ?? document.createElement("body")
  if (found === undefined) root.insertBefore(body, null)
  const all = childrenOf(document)
  const beside = (nodes: ReadonlyArray<HtmlNode>) =>
    nodes.filter(({ nodeType }) => nodeType === 1 || nodeType === 3)
  const at = found === undefined ? 0 : parts.indexOf(found)
  const first = body.firstChild
  const inHead = parts.filter(isPart("HEAD")).flatMap(childrenOf)
  // Text in a head that is more than blanks ends it.
  const open = inHead.filter(({ nodeName, nodeType }) => nodeType !== 8 && !ofHead.has(nodeName))
  const isStray = (node: HtmlNode) => node !== found && node.nodeName !== "HEAD"
  move(beside(all.slice(0, all.indexOf(root))), body, first)
  move(open, body, first)
  move(parts.slice(0, at).filter(isStray), body, first)
  move(parts.slice(at).filter(isStray), body, null)
  move(beside(all.slice(all.indexOf(root) + 1)), body, null)
  return body
}

/**
 * An address of a page or picture as a whole one, without a password; `undefined` for a place in the page and for all
 * else.
 */
const absolute = (given: string | null, base: string): string | undefined => {
  const text = given?.trim() ?? ""
  if (text === "" || text.startsWith("#") || !URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  url.username = ""
  url.password = ""
  return url.href
}

const resolve = (body: HtmlElement, tag: string, attribute: string, base: string): void => {
  for (const element of [...body.getElementsByTagName(tag)]) {
    const given = element.getAttribute(attribute)
    const url = absolute(given, base) ?? absolute(element.getAttribute(`data-${attribute}`), base)
    if (url !== undefined) element.setAttribute(attribute, url)
    else if (given !== null) element.removeAttribute(attribute)
  }
}

/** `address`: the page's own, where its links begin unless it says otherwise. */
export const parse = (html: string, address: string): Page => {
  const first = parsed(html)
  const isWhole = first.documentElement?.nodeName === "HTML"
  const document = isWhole ? first : parsed(`<html><head></head><body>${html}`)
  const root = document.documentElement as HtmlElement
  const title = [...document.getElementsByTagName("title")].find(
    ({ parentNode }) => parentNode?.nodeName !== "SVG"
  )
  const base = [...document.getElementsByTagName("base")].find((one) => one.hasAttribute("href"))
  const body = wholeBody(document, root)
  const elements = prune(body)
  const own = absolute(base?.getAttribute("href") ?? null, address) ?? address
  resolve(body, "a", "href", own)
  resolve(body, "img", "src", own)
  return { document, body, elements, title: title?.textContent?.replace(/\s+/g, " ").trim() ?? "" }
}
