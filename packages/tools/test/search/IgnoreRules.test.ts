import { afterAll, describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

/** A folder with these files: content of those with rules, a word for the others. */
const tree = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(files)) {
    const file = join(bench.at(folder), name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content === "" ? "WORD\n" : content)
  }
}
const rowsOf = (text: string) => text.split("\n").filter((row) => !row.startsWith("["))
/** Files in which WORD is found, relative to the path. */
const found = async (path: string, more: Record<string, boolean> = {}) => {
  const { text } = await bench.call("search_files", { pattern: "^WORD", path, output_mode: "files", ...more })
  return rowsOf(text).map((row) => row.slice(path.length + 1))
}

describe("a search leaves alone what the project does", () => {
  test("by rules of every folder, negated ones and those for folders only", async () => {
    tree("nested", {
      ".gitignore": "*.log\n!keep.log\n/top.txt\nbuild/\n# words\n\\#odd\ntrail \nlogs/**/x.txt\n",
      "a.log": "",
      "keep.log": "",
      "top.txt": "",
      "sub/top.txt": "",
      "build/x.txt": "",
      "sub/build/x.txt": "",
      "notes/build": "",
      "#odd": "",
      trail: "",
      "logs/a/b/x.txt": "",
      "logs/a/y.txt": "",
      "sub/.gitignore": "\ufeff*.tmp\r\n!a.log\r\n",
      "sub/a.log": "",
      "sub/b.log": "",
      "sub/b.tmp": "",
      "b.tmp": ""
    })
    expect(await found("nested")).toEqual([
      "b.tmp",
      "keep.log",
      "logs/a/y.txt",
      "notes/build",
      "sub/a.log",
      "sub/top.txt"
    ])
    expect((await found("nested", { no_ignore: true })).length).toBe(15)
    const none = await bench.call("search_files", { pattern: "^WORD", path: "nested", glob: "a.nothing" })
    expect(none.text).toContain("no_ignore: true")
  })

  test("by the rules above the folder that is searched, up to the top of the repository and no further", async () => {
    tree("above", {
      ".gitignore": "*.far\n",
      "repo/.git/HEAD": "ref: x\n",
      "repo/.git/info/exclude": "*.own\n",
      "repo/.gitignore": "*.near\n/deep/only.txt\n",
      "repo/deep/a.far": "",
      "repo/deep/a.near": "",
      "repo/deep/a.own": "",
      "repo/deep/only.txt": "",
      "repo/deep/b.txt": ""
    })
    expect(await found("above/repo/deep")).toEqual(["a.far", "b.txt"])
    // What is named is searched, whatever the rules say.
    expect(
      (await bench.call("search_files", { pattern: "^WORD", path: "above/repo/deep/a.near" })).text
    ).toBe("above/repo/deep/a.near:1:WORD")
  })

  test("a folder that is left out is searched where it is named", async () => {
    tree("named", {
      ".git/HEAD": "x\n",
      ".gitignore": "out/\n*.tmp\n",
      "out/a.txt": "",
      "out/sub/b.txt": "",
      "out/c.tmp": ""
    })
    expect(await found("named/out")).toEqual(["a.txt", "sub/b.txt"])
    expect(await found("named")).toEqual([])
    expect((await bench.call("search_files", { pattern: "^WORD", path: "named" })).text).toContain(
      ".git/, out/; no_ignore"
    )
  })

  test("by .ignore, which has the last word over .gitignore", async () => {
    tree("ignore", {
      ".gitignore": "made/\n*.gen\n",
      ".ignore": "!made/\n*.skip\n",
      "made/a.txt": "",
      "made/b.skip": "",
      "c.gen": "",
      "sub/.ignore": "!*.gen\n",
      "sub/c.gen": ""
    })
    expect(await found("ignore")).toEqual(["made/a.txt", "sub/c.gen"])
  })

  test("by the user's own list, and by a repository whose working tree is beside it", async () => {
    mkdirSync(join(bench.settings.home, ".config/git"), { recursive: true })
    writeFileSync(join(bench.settings.home, ".config/git/ignore"), "*.mine\n")
    tree("beside", {
      "main/.git/info/exclude": "*.own\n",
      "main/.git/worktrees/w/commondir": "../..\n",
      "w/.git": `gitdir: ${bench.at("beside/main/.git/worktrees/w")}\n`,
      "w/a.own": "",
      "w/b.mine": "",
      "w/c.txt": ""
    })
    expect(await found("beside/w")).toEqual(["c.txt"])
    rmSync(join(bench.settings.home, ".config"), { recursive: true })
  })

  test("rules that are none, or that would never end, hide nothing and stop nothing", async () => {
    const long = "a".repeat(250)
    tree("bad", {
      ".gitignore": `[\n[z-a]\n\\\n/\n!\n*a*a*a*a*a*a*a*a*a*b\n${"**/a/".repeat(20)}b\n*.log\n`,
      "x.txt": "",
      "y.log": "",
      [`${long}c`]: ""
    })
    mkdirSync(bench.at("bad/.ignore"))
    const began = performance.now()
    expect(await found("bad")).toEqual([`${long}c`, "x.txt"])
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test.skipIf(Bun.which("git") === null)(
    "as git itself does, for any rules",
    async () => {
      const part = fc.constantFrom("a", "b", "c.txt", "*.txt", "*", "a*", "**", "?", "[ab]")
      const rule = fc
        .tuple(fc.boolean(), fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
        .map(
          ([no, top, parts, only]) => `${no ? "!" : ""}${top ? "/" : ""}${parts.join("/")}${only ? "/" : ""}`
        )
      const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"))
      const files = [
        "a/a/c.txt",
        "a/b/a",
        "a/c.txt",
        "b/a/b",
        "b/b/c.txt",
        "b/c.txt",
        "c.txt",
        "d.md",
        "e/a/b/c.txt"
      ]
      let at = 0
      await fc.assert(
        fc.asyncProperty(rules, rules, async (top, sub) => {
          const folder = `git${at++}`
          tree(folder, Object.fromEntries(files.map((file) => [file, ""])))
          tree(folder, { ".gitignore": `${top}\n`, "a/.gitignore": `${sub}\n` })
          const env = { PATH: process.env.PATH, HOME: bench.settings.home, GIT_CONFIG_NOSYSTEM: "1" }
          const git = (...args: ReadonlyArray<string>) =>
            execFileSync("git", args, { cwd: bench.at(folder), env, encoding: "utf8" })
          git("init", "-q")
          const theirs = git("ls-files", "--others", "--exclude-standard").trim().split("\n")
          const ours = await found(folder)
          rmSync(bench.at(folder), { recursive: true })
          expect(ours.sort()).toEqual(
            theirs.filter((name) => name !== "" && !name.endsWith(".gitignore")).sort()
          )
        }),
        { numRuns: 40 }
      )
    },
    120_000
  )
})
