/** An HTML page as text that can be read: headings, lists, links, without scripts and styles. Pure. */

export interface PageText {
  readonly title: string
  readonly text: string
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  middot: "·",
  laquo: "«",
  raquo: "»",
  times: "×",
  euro: "€",
  pound: "£",
  sect: "§",
  deg: "°",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  rarr: "→",
  larr: "←"
}

export const decodeEntities = (text: string): string =>
  text.replace(/&(#[xX][0-9a-fA-F]{1,6}|#\d{1,7}|[A-Za-z]\w{1,31});/g, (whole, name: string) => {
    if (!name.startsWith("#")) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : "\ufffd"
  })

/** Elements whose content is not text. */
const silent = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "head",
  "iframe",
  "object",
  "select"
])
const blocks = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul".split(
    " "
  )
)

const tagPattern =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z][\w:-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|<[!?][^>]*>/g

const attribute = (source: string, name: string): string | undefined => {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(source)
  const value = found?.[1] ?? found?.[2] ?? found?.[3]
  return value === undefined ? undefined : decodeEntities(value)
}

/** A link as an absolute address; `undefined` for a place in the page and for what is no page. */
const target = (href: string | undefined, base: string): string | undefined => {
  if (href === undefined || href.startsWith("#") || !URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  url.username = ""
  url.password = ""
  return url.href
}

class Writer {
  private out = ""
  private pendingLines = 0
  private pendingBlank = false
  pre = 0

  get length(): number {
    return this.out.length
  }

  text(value: string): void {
    if (this.pre > 0) {
      this.flush()
      this.out += value
      return
    }
    const parts = value.split(/[ \t\r\n\f]+/)
    parts.forEach((part, at) => {
      if (at > 0) this.pendingBlank = true
      if (part === "") return
      this.flush()
      this.out += part
    })
  }

  /** At least so many line ends before what follows. */
  lines(count: number): void {
    this.pendingLines = Math.max(this.pendingLines, count)
  }

  /** Text as it is, joined to what stands before. */
  raw(value: string): void {
    this.out += value
  }

  private flush(): void {
    if (this.pendingLines > 0 && this.out !== "")
      this.out = this.out.replace(/[ \t]+$/, "") + "\n".repeat(this.pendingLines)
    else if (this.pendingBlank && this.out !== "" && !/\s$/.test(this.out)) this.out += " "
    this.pendingLines = 0
    this.pendingBlank = false
  }

  end(): string {
    return this.out.replace(/\n{3,}/g, "\n\n").trim()
  }
}

/** `base`: the page's own address, for its links. */
export const convert = (html: string, base: string): PageText => {
  const title = decodeEntities(/<title[^>]*>([\s\S]*?)<\/title/i.exec(html)?.[1] ?? "")
    .replace(/\s+/g, " ")
    .trim()
  const writer = new Writer()
  const links: Array<{ readonly href: string | undefined; readonly from: number }> = []
  let at = 0
  let muted: string | undefined
  tagPattern.lastIndex = 0
  for (const match of html.matchAll(tagPattern)) {
    if (muted === undefined) writer.text(decodeEntities(html.slice(at, match.index)))
    at = match.index + match[0].length
    const [, cdata, slash, rawName, attributes = ""] = match
    if (cdata !== undefined && muted === undefined) writer.text(cdata)
    const name = rawName?.toLowerCase()
    if (name === undefined) continue
    const closes = slash === "/"
    if (muted !== undefined) {
      if (closes && name === muted) muted = undefined
      continue
    }
    if (silent.has(name)) {
      if (!closes && !attributes.endsWith("/")) muted = name
      continue
    }
    if (name === "br") writer.lines(1)
    if (name === "td" || name === "th") writer.text(closes ? " " : " | ")
    if (blocks.has(name))
      writer.lines(name === "li" || name === "tr" || name === "dt" || name === "dd" ? 1 : 2)
    if (name === "pre") writer.pre = Math.max(0, writer.pre + (closes ? -1 : 1))
    if (closes && name === "a") {
      const link = links.pop()
      if (link?.href !== undefined && writer.length > link.from) writer.raw(` (${link.href})`)
    } else if (name === "a")
      links.push({ href: target(attribute(attributes, "href"), base), from: writer.length })
    if (closes) continue
    if (/^h[1-6]$/.test(name)) writer.text(`${"#".repeat(Number(name[1]))} `)
    if (name === "li") writer.text("- ")
    if (name === "img") writer.text(attribute(attributes, "alt") ?? "")
  }
  if (muted === undefined) writer.text(decodeEntities(html.slice(at)))
  return { title, text: writer.end() }
}
