import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as PageText from "../../src/web/PageText.ts"

const read = (html: string, address = "https://e.org/d/p.html") => PageText.read(html, address)
const text = (html: string) => read(html).text
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ")

describe("a page", () => {
  test("is headings, paragraphs, lists, quotes and code as Markdown, no sign escaped", () => {
    expect(
      text(
        "<h1>Head <b>x</b></h1><p>One_two *three* [4]<br>line</p><ul><li>a<ul><li>b</ul><li>c</ul><ol start=3><li>x<li>y</ol><blockquote><p>q</blockquote><pre>a\n  <b>b</b></pre><p>run <code>f(x)</code> <em>now</em>"
      )
    ).toBe(
      "# Head **x**\n\nOne_two *three* [4]\nline\n\n- a\n  - b\n- c\n\n3. x\n4. y\n\n> q\n\n```\na\n  b\n```\n\nrun `f(x)` *now*"
    )
    expect(text('<pre><code class="language-ts">a\n```\nb</code></pre>')).toBe("````ts\na\n```\nb\n````")
  })

  test("has whole addresses in its links, and none that are no place", () => {
    expect(
      text(
        '<p><a href="x?a=1&amp;b=2">t</a> <a href="/y">u</a> <a href="//o.org/z">v</a> <a href="../w"> w </a>'
      )
    ).toBe("[t](https://e.org/d/x?a=1&b=2) [u](https://e.org/y) [v](https://o.org/z) [w](https://e.org/w)")
    expect(text('<p><a href="javascript:x">j</a> <a href="#q">k</a> <a>l</a> <a href="data:,x">m</a>')).toBe(
      "j k l m"
    )
    expect(text('<base href="https://b.org/c/"><p><a href="x">t</a>')).toBe("[t](https://b.org/c/x)")
    expect(text('<p><a href="https://me:hush@e.org/x">t</a>')).toBe("[t](https://e.org/x)")
    expect(text('<p><a href="/a_(b)">t</a>')).toBe("[t](https://e.org/a_%28b%29)")
    expect(
      text(
        '<p><a href=x><img src=i.png alt="A picture"></a><img src=j.png><img data-src=k.png alt=K src="data:,"></p>'
      )
    ).toBe("[![A picture](https://e.org/d/i.png)](https://e.org/d/x)![K](https://e.org/d/k.png)")
  })

  test("shows nothing of what is not seen", () => {
    for (const hidden of [
      "<script>if (1<2) evil()</script>",
      "<style>evil{}</style>",
      "<!-- evil -->",
      "<noscript>evil</noscript>",
      "<template>evil</template>",
      "<svg><title>evil</title><text>evil</text></svg>",
      "<iframe>evil</iframe>",
      "<p hidden>evil</p>",
      "<p style='color:red; display : none'>evil</p>",
      "<div style='visibility:hidden'><p>evil</div>",
      "<span style='font-size:0'>evil</span>",
      "<span style='opacity:0;x:y'>evil</span>",
      "<select><option>evil</select>",
      "<object>evil</object>"
    ])
      expect([hidden, text(`<p>a</p>${hidden}<p>b`)]).toEqual([hidden, "a\n\nb"])
    expect(text("<p style='font-size:0.9em'>a</p><p style='opacity:0.5'>b</p><p aria-hidden=true>c")).toBe(
      "a\n\nb\n\nc"
    )
  })

  test("has its tables as rows, and tables that are for the looks as lines", () => {
    expect(text("<table><tr><th>a<th>b|c<tr><td>1<td>two<br>lines</table>")).toBe(
      "| a | b\\|c |\n| --- | --- |\n| 1 | two lines |"
    )
    expect(
      text("<table><caption>Cap</caption><thead><tr><td>a<td>b</thead><tbody><tr><td>c<td>d</table>")
    ).toBe("Cap\n| a | b |\n| --- | --- |\n| c | d |")
    expect(text("<table><tr><td><p>left<td><table><tr><td>x<td>y</table></table>")).toBe(
      "left\n| x | y |\n| --- | --- |"
    )
  })

  test("is whole whatever its source leaves out", () => {
    expect(read("just text &lt; &#x41;&unknown; &eacute;").text).toBe("just text < A&unknown; é")
    expect(read("<title> A\n&amp; B </title><p>x")).toMatchObject({ title: "A & B", text: "x" })
    expect(read("<!doctype html><html><head><title>T</title><p>x<p>y")).toMatchObject({
      title: "T",
      text: "x\n\ny"
    })
    expect(text("<html><p>a<body><p>b</body></html><p>c")).toBe("a\n\nb\n\nc")
    expect(text("<html><p>a<head><title>T</title></head><body><p>b</body><p>c</html><p>d")).toBe(
      "a\n\nb\n\nc\n\nd"
    )
    expect(text("<html><head><title>T</title></head>loose")).toBe("loose")
    expect(read("<svg><title>no</title></svg><p>x").title).toBe("")
    expect(read("<title>open")).toMatchObject({ title: "open", text: "" })
    for (const nothing of ["", " ", "<html></html>", "<!--", "<html><body>", "<", "<script>"])
      expect(read(nothing).title).toBe("")
  })

  test("is its article alone where it has one, and whole where the article is but a part", () => {
    const around = "<nav><ul><li><a href=/1>Nav one</a><li><a href=/2>Nav two</a></ul></nav>"
    const paragraphs = Array.from(
      { length: 8 },
      (_, at) => `<p>Part ${at}, ${words(60)}, and so on.</p>`
    ).join("")
    const article = `<html><head><title>Story</title></head><body>${around}<article><h1>Story</h1>${paragraphs}<p><a href="next">go on</a></p></article><footer>Foot note</footer></body></html>`
    const story = read(article)
    expect(story.title).toBe("Story")
    expect(story.text).toContain("Part 7")
    expect(story.text).toContain("[go on](https://e.org/d/next)")
    expect([story.text.includes("Nav one"), story.text.includes("Foot note")]).toEqual([false, false])
    const list = `<body>${Array.from({ length: 60 }, (_, at) => `<div><a href=/${at}>Entry ${at} ${words(6)}</a></div>`).join("")}<div><p>${words(100)}, and, so, on.</p></div></body>`
    const all = text(list)
    for (const at of [0, 30, 59]) expect(all).toContain(`[Entry ${at} `)
    expect(text(`<body>${around}<p>Short.`)).toContain("[Nav one](https://e.org/1)")
  })

  test("that is hostile ends in bounded time with the text there is", () => {
    const began = performance.now()
    expect(text(`${"<div>".repeat(100_000)}deep`)).toBe("deep")
    expect(text(`${"<ul><li>".repeat(30_000)}deep`)).toContain("deep")
    expect(text("<p>a<b>b<i>c<a href=x>".repeat(3000))).toContain("c")
    expect(text(`${"<table><tr><td>".repeat(3000)}deep`)).toContain("deep")
    expect(text(`<p ${"a=b ".repeat(100_000)}>x`)).toBe("x")
    expect(text(`<p>${" ".repeat(1_000_000)}x`)).toBe("x")
    expect(text("<!--".repeat(300_000))).toBe("")
    expect(text("&amp;".repeat(20_000))).toBe("&".repeat(20_000))
    expect(text("<".repeat(20_000)).length).toBe(20_000)
    expect(performance.now() - began).toBeLessThan(110_000)
  }, 120_000)

  test("that is longer than what is read says how much is not", () => {
    const long = read(`<p>${"x".repeat(4 * 1024 * 1024)}`)
    expect([long.text.length + long.unread, long.unread > 0]).toEqual([4 * 1024 * 1024, true])
    expect(read("<p>x").unread).toBe(0)
  }, 60_000)

  test("ends for any text and never shows a tag it knows", () => {
    const piece = fc.constantFrom(
      ..."<p> </p> <a_href='x'> </a> <script> </script> < > &amp; word _ <!-- --> <pre> \" <table> <tr> <td> <li> <ul> <html> <head> <body> </body> <title> <svg> <b> </div>"
        .split(" ")
        .map((part) => part.replace("_", " "))
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((parts) => parts.join("")),
        (html) => expect(text(html)).not.toMatch(/<\/?(?:p|pre|script|td|body)>/)
      ),
      { numRuns: 300 }
    )
  }, 60_000)
})
