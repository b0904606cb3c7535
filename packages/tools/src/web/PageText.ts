/**
 * What of an HTML page is worth reading, as Markdown: the article where there is one, else the whole body. Pure, and
 * slow on large pages: it is done in a thread of its own (`ThreadMain`). How a page is parsed is `HtmlDocument`, how
 * it is written `PageMarkdown`.
 */
import { Readability } from "@mozilla/readability"
import * as Option from "effect/Option"
import * as HtmlDocument from "./HtmlDocument.ts"
import * as PageMarkdown from "./PageMarkdown.ts"

export interface PageText {
  /** Empty: the page has none. */
  readonly title: string
  readonly text: string
  /** Characters of the source that were left out at the end. */
  readonly unread: number
}

/** More of a source is not read: its text is far beyond what one result shows. */
const maxHtmlChars = 3 * 1024 * 1024
/** Nor more tags and signs written as entities: each costs as much as a hundred characters. */
const maxMarks = 200_000
/** Looking for the article takes longer than that in pages with more elements. */
const maxElements = 30_000
/** A shorter article, or one that is a smaller part of the page, is likely not what the page is about. */
const minArticleChars = 500
const minArticleShare = 0.3

const lengthOf = (text: string): number => text.replace(/\s+/g, " ").length

/** How much of a source is read. */
const readChars = (html: string): number => {
  const signs = /[<&]/g
  for (let marks = 0; signs.test(html) && signs.lastIndex <= maxHtmlChars; )
    if (++marks > maxMarks) return signs.lastIndex - 1
  return Math.min(html.length, maxHtmlChars)
}

/** The element of the article in a copy of the page. */
const articleOf = ({ document }: HtmlDocument.Page): HtmlDocument.HtmlElement | undefined => {
  const reader = new Readability<unknown>(document.cloneNode(true) as never, {
    charThreshold: minArticleChars,
    serializer: (node) => node
  })
  // A page that it fails on is one without an article.
  const found = Option.getOrNull(Option.liftThrowable(() => reader.parse())())
  return (found?.content ?? undefined) as HtmlDocument.HtmlElement | undefined
}

const chosen = (page: HtmlDocument.Page): HtmlDocument.HtmlElement => {
  const whole = lengthOf(page.body.textContent ?? "")
  if (whole < minArticleChars || page.elements > maxElements) return page.body
  const article = articleOf(page)
  const chars = lengthOf(article?.textContent ?? "")
  return article !== undefined && chars >= Math.max(minArticleChars, whole * minArticleShare)
    ? article
    : page.body
}

/** `address`: the page's own, for its links. */
export const read = (html: string, address: string): PageText => {
  const read = readChars(html)
  const page = HtmlDocument.parse(html.slice(0, read), address)
  return {
    title: page.title,
    text: PageMarkdown.render(chosen(page)),
    unread: html.length - read
  }
}
