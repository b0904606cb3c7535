import { afterAll, describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

const edit = async (
  content: string,
  oldText: string,
  newText: string,
  more: Record<string, boolean> = {},
  name = "f.txt"
) => {
  writeFileSync(bench.at(name), content)
  const answer = await bench.call("edit", { path: name, oldText, newText, ...more })
  return { ...answer, file: readFileSync(bench.at(name), "utf8") }
}

describe("edit", () => {
  test("changes only the line it matched and answers with a diff and the first changed line", async () => {
    const { file, text } = await edit("def f():\n    x  =  1\n    y = 2\n", "    x  =  1", "    x = 100")
    expect(file).toBe("def f():\n    x = 100\n    y = 2\n")
    expect(text).toContain("first changed line: 2")
    expect(text).toContain("@@ -1,3 +1,3 @@\n def f():\n-    x  =  1\n+    x = 100\n     y = 2")
    expect(text).not.toContain("replacements")
  })

  test("matches other runs of blanks and keeps the indent of the file", async () => {
    expect((await edit("a\n\t x \t=  1\nb\n", "x = 1", "x = 100")).file).toBe("a\n\t x = 100\nb\n")
    const eight = "if a:\n        x = 1\n        if b:\n            y = 2\n"
    const old = "    x  = 1\n    if b:\n        y = 2"
    expect((await edit(eight, old, "    x = 9\n    if b:\n        y = 3\n        z = 4")).file).toBe(
      "if a:\n        x = 9\n        if b:\n            y = 3\n            z = 4\n"
    )
  })

  test("an exact match takes the new text with the indent it is given", async () => {
    expect((await edit("if a:\n        x = 1\n", "        x = 1", "    x = 2")).file).toBe(
      "if a:\n    x = 2\n"
    )
    const longer = await edit("a b a b", "a", "much longer", { replaceAll: true })
    expect(longer.file).toBe("much longer b much longer b")
  })

  test("a loose match leaves the lines it does not change byte for byte", async () => {
    const content = "top  \n\tone\t= 1 \n\ttwo  = 2\nend"
    const { file } = await edit(content, "    one = 1\n    two = 2", "    one = 1\n    two = 3")
    expect(file).toBe("top  \n\tone\t= 1 \n\ttwo = 3\nend")
  })

  test("two places are an error that says so, exact or loose, unless all are meant", async () => {
    const content = "def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n"
    const exact = await edit(content, "    x = 1\n    return x", "    return 1")
    expect([exact.status, exact.file]).toEqual(["error", content])
    expect(exact.text).toContain("2 occurrences")
    expect(exact.text).toContain("replaceAll")
    expect((await edit(content, "x  =  1\n  return  x", "y")).text).toContain("2 occurrences")
    const all = await edit("aaaa b aa", "aa", "c", { replaceAll: true })
    expect(all.file).toBe("cc b c")
    expect(all.result).toMatchObject({ structured: { replacements: 3 } })
    expect((await edit("one", "one", "two", { replaceAll: true })).text).not.toContain("replacements")
  })

  test("takes the line numbers of read off both texts, but not where the file really has them", async () => {
    expect((await edit("alpha\nbeta\n", "1|alpha\n2|beta", "1|ALPHA\n2|BETA")).file).toBe("ALPHA\nBETA\n")
    expect((await edit("1|alpha\n2|beta\n", "2|beta", "2|BETA")).file).toBe("1|alpha\n2|BETA\n")
    expect((await edit("beta\ngamma\n", "beta\ngamma", "2|BETA\n3|GAMMA")).status).toBe("error")
    expect((await edit("beta\n", "", "2|BETA\n3|GAMMA")).status).toBe("error")
  })

  test("keeps line ends, BOM and a missing last line end", async () => {
    expect((await edit("alpha\r\nbeta\r\ngamma\r\n", "alpha\nbeta", "ALPHA\nnew\nBETA")).file).toBe(
      "ALPHA\r\nnew\r\nBETA\r\ngamma\r\n"
    )
    expect((await edit("alpha\nbeta\r\ngamma\n", "alpha", "ALPHA")).file).toBe("ALPHA\nbeta\r\ngamma\n")
    expect((await edit("\ufeffalpha\nbeta", "beta", "BETA")).file).toBe("\ufeffalpha\nBETA")
    expect((await edit("a\r\nb", "", "c\nd")).file).toBe("a\r\nb\r\nc\r\nd")
  })

  test("what is not found leaves the file and shows the nearest line", async () => {
    const { status, file, text } = await edit("const total = 1\nother\n", "const totals = 2", "x")
    expect([status, file]).toEqual(["error", "const total = 1\nother\n"])
    expect(text).toContain("nearest line is 1: const total = 1")
    expect((await bench.call("edit", { path: "none.py", oldText: "", newText: "b" })).text).toContain(
      "none.py"
    )
  })

  test("an edit that changes nothing is an error", async () => {
    expect((await edit("abc", "b", "b")).status).toBe("error")
    expect((await edit("a\r\nb", "a\r\nb", "a\nb")).status).toBe("error")
  })

  test("a blank old text appends on a new line", async () => {
    expect((await edit("one", "", "two\n")).file).toBe("one\ntwo\n")
    expect((await edit("one\n", " \n", "two")).file).toBe("one\ntwo")
    expect((await edit("", "", "two")).file).toBe("two")
  })

  test("an edit that breaks data is refused, one that mends broken data is not", async () => {
    const broken = await edit('{"a": 1}', "1", "", {}, "d.json")
    expect([broken.status, broken.file]).toEqual(["error", '{"a": 1}'])
    for (const [name, content, old] of [
      ["d.yaml", "a: [1]\n", "]"],
      ["d.toml", 'a = "x"\n', 'x"']
    ] as const) {
      const data = await edit(content, old, "", {}, name)
      expect([name, data.status, data.file]).toEqual([name, "error", content])
    }
    expect((await edit('{"a": , "b": }', '"a": ,', '"a": 1,', {}, "d.json")).status).toBe("ok")
  })

  test("warns when something else changed the file since it was read", async () => {
    writeFileSync(bench.at("stale.txt"), "one\n")
    await bench.call("read", { path: "stale.txt" })
    writeFileSync(bench.at("stale.txt"), "one\ntwo\n")
    const change = { path: "stale.txt", oldText: "one", newText: "1" }
    expect((await bench.call("edit", change)).text).toContain("warning")
    expect((await bench.call("edit", { ...change, oldText: "two" })).text).not.toContain("warning")
  })

  test("replacement patterns are plain text", async () => {
    expect((await edit("x y", "x", "$& $1 \\n $$")).file).toBe("$& $1 \\n $$ y")
  })
})
