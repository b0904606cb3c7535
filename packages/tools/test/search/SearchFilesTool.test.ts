import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileWalk from "../../src/search/FileWalk.ts"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

const put = (name: string, content: string | Uint8Array) => {
  mkdirSync(join(bench.at(name), ".."), { recursive: true })
  writeFileSync(bench.at(name), content)
}
const search = (pattern: string, more: Record<string, string | number | boolean> = {}) =>
  bench.call("search_files", { pattern, ...more })

describe("search_files", () => {
  test("a pattern is only ever a pattern, and odd names come back whole", async () => {
    put("odd/a.txt", 'temp -77 C\nuse --help now\n--pre=touch MARKER_PRE\nptr->x\n$(id) `id` "q"\n')
    put("odd/emoji 🚀 汉.txt", "NEEDLE\n")
    put("odd/-dash.txt", "NEEDLE\n")
    expect((await search("-77")).text).toBe("odd/a.txt:1:temp -77 C")
    expect((await search("--help")).text).toContain("use --help now")
    expect((await search("--pre=touch MARKER_PRE")).text).toContain("odd/a.txt:3")
    expect((await search("->")).text).toContain("ptr->x")
    expect((await search('\\$\\(id\\) `id` "q"')).text).toContain("odd/a.txt:5")
    expect(existsSync(bench.at("MARKER_PRE"))).toBe(false)
    expect((await search("NEEDLE")).text).toBe("odd/-dash.txt:1:NEEDLE\nodd/emoji 🚀 汉.txt:1:NEEDLE")
    expect((await search("a\nb")).status).toBe("ok")
  })

  test("wrong arguments are errors that say what is wrong", async () => {
    expect((await search("(")).text).toContain("invalid")
    for (const more of [
      { max_results: 0 },
      { max_results: 1.5 },
      { max_results: "x" },
      { glob: 3 },
      { target: "x" },
      { path: "none" },
      { max_results: 501 }
    ])
      expect([more, (await search("a", more)).status]).toEqual([more, "error"])
    expect((await search("a", { max_results: 3.0 })).status).toBe("ok")
    expect((await bench.call("search_files", {})).text).toContain("no arguments at all")
  })

  test("nothing found is an answer", async () => {
    const { status, text } = await search("never-there")
    expect([status, text]).toEqual(["ok", "[0 results]"])
  })

  test("a limit is said with the number that shows more, or as the maximum", async () => {
    put("six/f.txt", "hit\n".repeat(6))
    const three = await search("hit", { path: "six", max_results: 3 })
    expect(three.text.split("\n").length).toBe(4)
    expect(three.text).toContain("3 result limit reached. Use max_results=6 to see more.")
    put("many/f.txt", "lots\n".repeat(700))
    expect((await search("lots", { path: "many", max_results: 500 })).text).toContain("the maximum")
  })

  test("folders of dependencies are left out, said so when nothing was found, and searched when asked", async () => {
    put("pkg/node_modules/x/i.js", "DEEP\n")
    expect((await search("DEEP", { path: "pkg" })).text).toContain("node_modules/; no_ignore: true")
    expect((await search("DEEP", { path: "pkg", no_ignore: true })).text).toBe(
      "pkg/node_modules/x/i.js:1:DEEP"
    )
    expect((await search("DEEP", { path: "pkg/node_modules" })).text).toContain("i.js:1:DEEP")
  })

  test("binary and large files are skipped, BOM and CRLF do not hide line ends, long lines are cut", async () => {
    put("mix/bin", new Uint8Array([0x66, 0x6f, 0x6f, 0, 1, 2]))
    put("mix/large", "foo\n".repeat(600_000))
    put("mix/crlf.txt", "\ufefffoo\r\nbar foo\r\n")
    put("mix/long.txt", `foo${"x".repeat(900)}\n`)
    expect((await search("^foo$", { path: "mix" })).text).toBe("mix/crlf.txt:1:foo")
    const long = (await search("^foox", { path: "mix" })).text
    expect(long).toBe(`mix/long.txt:1:foo${"x".repeat(497)}... [truncated]`)
  })

  test("output modes, globs and case", async () => {
    put("modes/a.ts", "Word\nword\n")
    put("modes/sub/b.md", "word\n")
    const modes = (more: Record<string, string | boolean>) => search("word", { path: "modes", ...more })
    expect((await modes({ output_mode: "files" })).text).toBe("modes/a.ts\nmodes/sub/b.md")
    expect((await modes({ output_mode: "count", ignore_case: true })).text).toBe(
      "modes/a.ts:2\nmodes/sub/b.md:1"
    )
    expect((await modes({ glob: "*.md" })).text).toBe("modes/sub/b.md:1:word")
    expect((await modes({ glob: "sub/**/*.{md,txt}" })).text).toBe("modes/sub/b.md:1:word")
    expect((await search("word", { path: "modes/a.ts" })).text).toBe("modes/a.ts:2:word")
  })

  test("files by name: a glob or a bare word, newest first", async () => {
    for (const [at, name] of ["one.md", "two.md", "x/three.md"].entries()) {
      put(`names/${name}`, "")
      utimesSync(bench.at(`names/${name}`), 1000 + at, 1000 + at)
    }
    expect((await search("*.md", { path: "names", target: "files" })).text).toBe(
      "names/x/three.md\nnames/two.md\nnames/one.md\n[3 files matched]"
    )
    expect((await search("hre", { path: "names", target: "files" })).text).toBe(
      "names/x/three.md\n[1 file matched]"
    )
    expect((await search("none", { path: "names", target: "files" })).status).toBe("ok")
  })

  test("a pattern that backtracks without end is given up on, told, and the other files are searched", async () => {
    put("slow/a.txt", "aaab\n")
    put("slow/f.txt", `${"a".repeat(3000)}c\n`)
    put("slow/z.txt", "x\naab\n")
    const polynomial = "^[^/]*a[^/]*a[^/]*a[^/]*a[^/]*a[^/]*b$"
    for (const pattern of [`${polynomial}|^aab$`, "^(a+)+b$|^(a|aa)+b$"]) {
      const began = performance.now()
      const { status, text } = await search(pattern, { path: "slow" })
      expect([status, performance.now() - began < 25_000]).toEqual(["ok", true])
      expect(text).toContain("slow/z.txt:2:aab")
      expect([text.includes("slow/f.txt"), text.includes("make it simpler")]).toEqual([false, true])
    }
  }, 60_000)

  test("a glob takes no longer for being a bad one", async () => {
    put(`globs/${"a".repeat(250)}`, "x\n")
    const began = performance.now()
    expect((await search("x", { path: "globs", glob: "*a*a*a*a*a*a*a*a*b" })).text).toBe("[0 results]")
    expect((await search("*a*a*a*a*a*a*a*a*b", { path: "globs", target: "files" })).text).toBe(
      "[0 files matched]"
    )
    expect(performance.now() - began).toBeLessThan(5000)
    put("globs/b.md", "x\n")
    expect((await search("x", { path: "globs", glob: "!*.md" })).text).not.toContain("b.md")
  })

  test("secrets are in no row, whatever leads to them", async () => {
    writeFileSync(join(bench.cowHome, "credentials.json"), '{"t":"TOP-SECRET-VALUE"}')
    writeFileSync(join(bench.cowHome, ".env"), "A=TOP-SECRET-VALUE\n")
    writeFileSync(join(bench.cowHome, "note.txt"), "TOP-SECRET is elsewhere\n")
    symlinkSync(join(bench.cowHome, ".env"), bench.at("envlink"))
    for (const path of ["~", "~/cow", "~/cow/.env", "envlink", bench.cowHome]) {
      const { text } = await search("TOP-SECRET", { path, no_ignore: true })
      expect(text).not.toContain("VALUE")
    }
    expect((await search("TOP-SECRET", { path: "~" })).text).toContain("note.txt:1")
    expect((await bench.call("ls", { path: "~/cow" })).text).toContain("credentials.json")
  })

  test("builds and the repository's own folder are left out too", async () => {
    for (const folder of ["dist", ".git", "__pycache__"]) put(`out/${folder}/x.txt`, "BUILT\n")
    const { text } = await search("BUILT", { path: "out" })
    for (const folder of ["dist/", ".git/", "__pycache__/"]) expect(text).toContain(folder)
    expect((await search("BUILT", { path: "out", no_ignore: true })).text.split("\n").length).toBe(3)
  })

  test("the rows are the same in the same order whatever programs the machine has", async () => {
    const programs = join(bench.root, "bin")
    mkdirSync(programs, { recursive: true })
    for (const name of ["rg", "grep", "git", "find"])
      writeFileSync(join(programs, name), `#!/bin/sh\necho used >> ${join(programs, "USED")}\n`, {
        mode: 0o755
      })
    const files = {
      "b.txt": "same\n",
      "B.txt": "same\n",
      "a/z.txt": "x\nsame\n",
      "a.txt": "same\n",
      "é.txt": "same\n",
      "k.skip": "same\n"
    }
    const rows: Array<string> = []
    for (const path of [programs, "", `${programs}:${process.env.PATH}`]) {
      const other = workbench({ env: { PATH: path } })
      for (const [name, content] of Object.entries({ ...files, ".gitignore": "*.skip\n" })) {
        mkdirSync(join(other.at(name), ".."), { recursive: true })
        writeFileSync(other.at(name), content)
      }
      rows.push((await other.call("search_files", { pattern: "same" })).text)
      await other.close()
    }
    const wanted = "B.txt:1:same\na/z.txt:2:same\na.txt:1:same\nb.txt:1:same\né.txt:1:same"
    expect(rows).toEqual([wanted, wanted, wanted])
    expect(existsSync(join(programs, "USED"))).toBe(false)
  })

  test("a walk whose time is up gives what it has and says so", async () => {
    put("walk/a/x.txt", "x\n")
    put("walk/b/x.txt", "x\n")
    let looks = 0
    const walked = await FileWalk.walk(bench.at("walk"), {
      noIgnore: false,
      home: bench.settings.home,
      isOver: () => ++looks > 2
    }).pipe(Effect.provide(BunServices.layer), Effect.runPromise)
    expect([walked.complete, walked.files.map(({ name }) => name)]).toEqual([false, ["a/x.txt"]])
  })

  test("looking is allowed in every mode, wherever it is", async () => {
    const everywhere = new Array<"Allow">(3).fill("Allow")
    expect(await bench.verdicts("search_files", { pattern: "x", path: "/etc" })).toEqual(everywhere)
    expect(await bench.verdicts("ls", { path: "/" })).toEqual(everywhere)
    expect(await bench.verdicts("read", { path: "a.txt" })).toEqual(everywhere)
    expect(await bench.verdicts("web_fetch", { url: "https://example.org/" })).toEqual(everywhere)
  })
})
