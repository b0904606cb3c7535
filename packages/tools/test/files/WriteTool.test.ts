import { afterAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

const write = (path: string, content: string) => bench.call("write", { path, content })
const file = (name: string) => readFileSync(bench.at(name), "utf8")

describe("write", () => {
  test("makes folders, writes the file and names path and bytes", async () => {
    const { status, text } = await write("a/b/new.txt", "häh\n")
    expect([status, file("a/b/new.txt")]).toEqual(["ok", "häh\n"])
    expect(text).toContain(bench.at("a/b/new.txt"))
    expect(text).toContain("5 bytes")
    expect(readdirSync(bench.at("a/b"))).toEqual(["new.txt"])
  })

  test("warns when something else changed the file since it was read, and only then", async () => {
    writeFileSync(bench.at("seen.txt"), "one")
    expect((await write("seen.txt", "never read")).text).not.toContain("warning")
    expect((await write("seen.txt", "own again")).text).not.toContain("warning")
    await bench.call("read", { path: "seen.txt" })
    writeFileSync(bench.at("seen.txt"), "somebody else")
    expect((await write("seen.txt", "mine")).text).toContain("warning")
    expect(file("seen.txt")).toBe("mine")
  })

  test("refuses the echo of read and nothing that only looks like it", async () => {
    expect((await write("echo.txt", "1|alpha\n2|beta\n")).status).toBe("error")
    expect((await write("echo.txt", "7|alpha\nbeta\n9|gamma\n")).status).toBe("error")
    expect(existsSync(bench.at("echo.txt"))).toBe(false)
    const fine = ["1|value", "| a | b |\n| 1 | 2 |\n", "1. a\n2. b\n", "10|\n25|\n99|\n", "1|a\nb\nc\nd\n"]
    for (const content of fine)
      expect([content, (await write("ok.txt", content)).status]).toEqual([content, "ok"])
  })

  test("data that does not parse is refused with the line, and the file stays", async () => {
    writeFileSync(bench.at("d.json"), "{}")
    const json = await write("d.json", '{\n  "a": 1,\n  "b": }\n')
    expect([json.status, file("d.json")]).toEqual(["error", "{}"])
    expect(json.text).toContain("line 3")
    expect((await write("d.yaml", "a: 1\nb: [1,\n")).text).toContain("line 2")
    expect((await write("d.toml", 'a = 1\nb = "x\n')).text).toContain("line 2")
    expect((await write("tag.yaml", "a: !mine {b: 1}\n")).status).toBe("ok")
    expect((await write("tsconfig.json", '{ // why\n "a": 1, }')).status).toBe("ok")
    expect((await write("x.jsonc", "{ /* why */ }")).status).toBe("ok")
    expect((await write("many.yaml", "a: 1\n---\nb: 2\n")).status).toBe("ok")
  })

  test("code that stops parsing is written with a warning, code that never did without", async () => {
    writeFileSync(bench.at("c.ts"), "const a = 1\n")
    expect((await write("c.ts", "const a = (\n")).text).toContain("warning")
    expect((await write("c.ts", "const b = (\n")).text).not.toContain("warning")
    expect((await write("c.md", "# [(\n")).text).not.toContain("warning")
  })

  test("Python that stops parsing is written with a warning that names the line", async () => {
    const program = Bun.which("python3")
    writeFileSync(bench.at("c.py"), "a = 1\n")
    const broken = await write("c.py", "a = 1\nb = (\n")
    expect([broken.status, file("c.py")]).toEqual(["ok", "a = 1\nb = (\n"])
    // Where there is no Python there is nobody to ask.
    if (program === null) expect(broken.text).not.toContain("warning")
    else expect(broken.text).toMatch(/warning: .*c\.py does not parse now: line 2/)
    expect((await write("c.py", "b = )\n")).text).not.toContain("warning")
    expect((await write("fine.py", "import os\nos.remove('c.py')\n")).text).not.toContain("warning")
    expect(existsSync(bench.at("c.py"))).toBe(true)
  })

  test("a call without arguments says so and names them", async () => {
    const { status, text } = await bench.call("write", {})
    expect([status, text]).toEqual(["error", expect.stringContaining("no arguments at all")])
    expect(text).toContain("path, content")
  })

  test("a folder, a file as parent and a pipe are errors that leave nothing behind", async () => {
    mkdirSync(bench.at("dir"))
    writeFileSync(bench.at("plain"), "whole")
    expect((await write("dir", "x")).text).toContain("folder")
    expect((await write("plain/x.txt", "x")).text).toContain("a part of the path is a file")
    expect((await write("/dev/null", "x")).text).toContain("device")
    expect(file("plain")).toBe("whole")
    expect(readdirSync(bench.workspace).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  test("keeps the mode of a file and writes through a link", async () => {
    writeFileSync(bench.at("run.sh"), "#!/bin/sh\n")
    chmodSync(bench.at("run.sh"), 0o755)
    symlinkSync("run.sh", bench.at("link.sh"))
    await write("link.sh", "#!/bin/sh\necho hi\n")
    expect(lstatSync(bench.at("link.sh")).isSymbolicLink()).toBe(true)
    expect(file("run.sh")).toBe("#!/bin/sh\necho hi\n")
    expect(statSync(bench.at("run.sh")).mode & 0o777).toBe(0o755)
  })

  test("secrets are denied in every mode and stay as they are", async () => {
    const secret = join(bench.cowHome, "credentials.json")
    writeFileSync(secret, '{"a":"TOP-SECRET-VALUE"}')
    for (const path of [secret, "~/cow/credentials.json", "~/cow/.env"]) {
      expect((await write(path, "{}")).status).toBe("denied")
      expect((await bench.call("edit", { path, oldText: "", newText: "x" })).status).toBe("denied")
      expect(await bench.verdicts("write", { path, content: "{}" })).toEqual(["Deny", "Deny", "Deny"])
    }
    expect(readFileSync(secret, "utf8")).toBe('{"a":"TOP-SECRET-VALUE"}')
    expect(existsSync(join(bench.cowHome, ".env"))).toBe(false)
  })

  test("only what really lands in the workspace counts as inside", async () => {
    mkdirSync(bench.at("sub"))
    mkdirSync(join(bench.root, "work-evil"))
    mkdirSync(join(bench.root, "outside"))
    writeFileSync(join(bench.root, "outside/s.txt"), "secret\n")
    symlinkSync("../outside", bench.at("out"))
    symlinkSync("../outside/s.txt", bench.at("flink"))
    symlinkSync("../outside/new.txt", bench.at("dangling"))
    symlinkSync("sub", bench.at("inlink"))
    symlinkSync("/", bench.at("root"))
    symlinkSync("knot", bench.at("knot"))
    const outside = [
      "out/new.txt",
      "out/deep/new.txt",
      "flink",
      "dangling",
      "../work-evil/n.txt",
      "sub/../../outside/new.txt",
      "root/etc/x",
      "/proc/self/cwd/../outside/x",
      "/proc/self/root/etc/x",
      "knot"
    ]
    for (const path of outside)
      expect([path, await bench.verdicts("write", { path, content: "x" })]).toEqual([
        path,
        ["Deny", "Deny", "Allow"]
      ])
    const inside = [
      "inlink/new.txt",
      "./sub/../sub/in.txt",
      "new/folder/x",
      bench.at("y"),
      `root${bench.at("z")}`
    ]
    for (const path of inside)
      expect([path, await bench.verdicts("edit", { path, oldText: "a", newText: "b" })]).toEqual([
        path,
        ["Deny", "Allow", "Allow"]
      ])
  })
})
