import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

const ls = (input: Record<string, string | number>) => bench.call("ls", input)
/** Makes a file of which only the bytes of the name are known. */
const put = (folder: string, name: string | Uint8Array, content = "") => {
  mkdirSync(bench.at(folder), { recursive: true })
  writeFileSync(Buffer.concat([Buffer.from(`${bench.at(folder)}/`), Buffer.from(name)]), content)
}
const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

describe("ls", () => {
  test("sorts without regard to case, marks folders, shows dotfiles and keeps its limit", async () => {
    for (const name of ["Bz", "a", ".dot"]) put("list", name)
    mkdirSync(bench.at("list/Folder"))
    symlinkSync("Folder", bench.at("list/link"))
    symlinkSync("nowhere", bench.at("list/gone"))
    expect((await ls({ path: "list" })).text).toBe(".dot\na\nBz\nFolder/\ngone\nlink/")
    expect((await ls({ path: "list", limit: 2 })).text).toBe(".dot\na\n[4 more of 6 entries; use limit=6]")
    for (const input of [{ path: "none" }, { path: "list/a" }, { path: "list", limit: 0 }])
      expect([input, (await ls(input)).status]).toEqual([input, "error"])
    expect((await ls({})).text).toContain("list/")
    mkdirSync(bench.at("empty"))
    expect((await ls({ path: "empty" })).text).toContain("is empty")
  })

  test("shows 500 of many and says how many there are and how to see them, and none is missing then", async () => {
    for (let at = 0; at < 620; at++) put("many", `🚀汉 ${at}`)
    const first = (await ls({ path: "many" })).text.split("\n")
    expect([first.length, first.at(-1)]).toEqual([501, "[120 more of 620 entries; use limit=620]"])
    const all = (await ls({ path: "many", limit: 620 })).text.split("\n")
    expect(new Set(all)).toEqual(new Set(Array.from({ length: 620 }, (_, at) => `🚀汉 ${at}`)))
  })

  test("shows every name, whole and in one line, whatever characters or bytes it has", async () => {
    const names: ReadonlyArray<readonly [name: string | Uint8Array, shown: string]> = [
      ["🚀汉.txt", "🚀汉.txt"],
      ["👩‍👩‍👧", "👩‍👩‍👧"],
      ["é", "é"],
      ["e\u0301", "e\u0301"],
      ["\ufffd", "\ufffd"],
      ["汉".repeat(85), "汉".repeat(85)],
      [" lead", " lead"],
      ["a\\n", "a\\n"],
      ["new\nline", "new\\nline"],
      ["tab\tx", "tab\\tx"],
      ["cr\rx", "cr\\rx"],
      ["esc\x1b[2Jx", "esc\\x1b[2Jx"],
      ["del\x7f", "del\\x7f"],
      ["c1\u0085", "c1\\x85"],
      ["turn\u202eed", "turn\\u202eed"],
      [bytes("caf\xe9"), "caf\\xe9"],
      [bytes("caf\xe8"), "caf\\xe8"],
      [bytes("\xff\xfe"), "\\xff\\xfe"],
      [bytes("cut\xf0\x9f\x9a"), "cut\\xf0\\x9f\\x9a"],
      [bytes("half\xed\xa0\x80"), "half\\xed\\xa0\\x80"],
      [bytes("over\xc0\xaf"), "over\\xc0\\xaf"],
      [
        new Uint8Array(Buffer.concat([Buffer.from("汉"), Buffer.from([0xe9]), Buffer.from("🚀")])),
        "汉\\xe9🚀"
      ]
    ]
    for (const [name] of names) put("odd", name)
    const rows = (await ls({ path: "odd" })).text.split("\n")
    expect(rows.at(-1)).toContain("in bash write them as $'…'")
    expect([...rows.slice(0, -1)].sort()).toEqual(names.map(([, shown]) => shown).sort())
  })

  test("folders and links with such names are marked too", async () => {
    mkdirSync(Buffer.concat([Buffer.from(`${bench.at("odd-folders")}/`)]), { recursive: true })
    mkdirSync(Buffer.concat([Buffer.from(`${bench.at("odd-folders")}/`), bytes("d\xe9")]))
    symlinkSync("..", Buffer.concat([Buffer.from(`${bench.at("odd-folders")}/`), bytes("l\xe9")]))
    expect((await ls({ path: "odd-folders" })).text.split("\n").slice(0, 2)).toEqual(["d\\xe9/", "l\\xe9/"])
  })

  test("such files are found, searched, and named when a path is missing", async () => {
    put("deep", bytes("f\xe9"), "NEEDLE in bytes\n")
    mkdirSync(Buffer.concat([Buffer.from(`${bench.at("deep")}/`), bytes("in\xe8")]))
    writeFileSync(
      Buffer.concat([Buffer.from(`${bench.at("deep")}/`), bytes("in\xe8/g\xff")]),
      "NEEDLE below\n"
    )
    put("deep", "line\nbreak.txt", "NEEDLE in two\n")
    const search = (more: Record<string, string>) =>
      bench.call("search_files", { pattern: "NEEDLE", path: "deep", ...more })
    expect((await search({})).text.split("\n")).toEqual([
      "deep/f\\xe9:1:NEEDLE in bytes",
      "deep/in\\xe8/g\\xff:1:NEEDLE below",
      "deep/line\\nbreak.txt:1:NEEDLE in two"
    ])
    const found = await search({ pattern: "*", target: "files" })
    expect(found.text.split("\n").slice(0, -1).sort()).toEqual([
      "deep/f\\xe9",
      "deep/in\\xe8/g\\xff",
      "deep/line\\nbreak.txt"
    ])
    expect((await bench.call("read", { path: "deep/linebreak.txt" })).text).toContain("line\\nbreak.txt")
  })

  test("a secret behind such a name is in no row", async () => {
    writeFileSync(join(bench.cowHome, ".env"), "A=TOP-SECRET-VALUE\n")
    const { linkSync } = await import("node:fs")
    mkdirSync(bench.at("hard"))
    linkSync(
      join(bench.cowHome, ".env"),
      Buffer.concat([Buffer.from(`${bench.at("hard")}/`), bytes("s\xe9")])
    )
    expect((await bench.call("search_files", { pattern: "TOP", path: "hard" })).text).toBe("[0 results]")
  })
})
