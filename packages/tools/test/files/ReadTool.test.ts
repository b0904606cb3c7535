import { afterAll, describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

const put = (name: string, content: string | Uint8Array) => writeFileSync(bench.at(name), content)
const read = (input: Record<string, string | number>) => bench.call("read", input)
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line${at + 1}\n`).join("")

describe("read", () => {
  test("numbers the lines of a text and tells their total", async () => {
    put("abc.txt", "alpha\nbeta\ngamma\n")
    const { text, status, result } = await read({ path: "abc.txt" })
    expect(status).toBe("ok")
    expect(text).toBe("1|alpha\n2|beta\n3|gamma")
    expect(result).toMatchObject({ structured: { total: 3 } })
  })

  test("shows the lines that offset and limit name, from either end, with their true numbers", async () => {
    put("ten.txt", lines(10))
    expect((await read({ path: "ten.txt", offset: 4, limit: 2 })).text).toStartWith("4|line4\n5|line5\n")
    expect((await read({ path: "ten.txt", offset: -1 })).text).toBe("10|line10")
    expect((await read({ path: "ten.txt", offset: -2 })).text).toBe("9|line9\n10|line10")
    expect((await read({ location: "ten.txt", limit: 3 })).text).toBe(
      "1|line1\n2|line2\n3|line3\n[7 more lines of 10; continue with offset=4]"
    )
  })

  test("an offset past the end is an error that tells how many lines there are", async () => {
    put("three.txt", "a\nb\nc\n")
    const { status, text } = await read({ path: "three.txt", offset: 10 })
    expect([status, text]).toEqual(["error", expect.stringContaining("has 3 lines")])
  })

  test("a limit below one and an offset that is no whole number are errors", async () => {
    put("ten.txt", lines(10))
    for (const more of [{ limit: 0 }, { limit: -1 }, { offset: 1.5 }, { offset: "2" }])
      expect([more, (await read({ path: "ten.txt", ...more })).status]).toEqual([more, "error"])
  })

  test("an empty file is said to be empty, and a lone line end is one line", async () => {
    put("empty.txt", "")
    put("newline.txt", "\n")
    expect((await read({ path: "empty.txt" })).text).toContain("empty")
    expect((await read({ path: "newline.txt" })).text).toBe("1|")
  })

  test("a long file stops at 2000 lines or at whole lines within 50,000 characters, and names the next offset", async () => {
    put("long.txt", lines(3000))
    const long = (await read({ path: "long.txt" })).text
    expect(long).toContain("\n2000|line2000\n")
    expect(long).toContain("offset=2001")
    put("wide.txt", `${"x".repeat(999)}\n`.repeat(100))
    const wide = (await read({ path: "wide.txt" })).text
    expect(wide.length).toBeLessThanOrEqual(50_000)
    const last = Number(/(\d+)\|x{999}\n\[/.exec(wide)?.[1])
    expect(last).toBeGreaterThan(45)
    expect(wide).toContain(`offset=${last + 1}`)
  })

  test("a line too long to show is named with its size, and half of it is never shown", async () => {
    put("oneline.txt", `${"x".repeat(60_000)}\nshort\n`)
    const { text } = await read({ path: "oneline.txt" })
    expect(text).toContain("60000 characters")
    expect(text).toContain("offset=2")
    expect(text).not.toContain("xxxx")
    expect((await read({ path: "oneline.txt", offset: 2 })).text).toBe("2|short")
  })

  test("a folder points to ls, a missing file to search_files with near names", async () => {
    mkdirSync(bench.at("folder"))
    expect(await read({ path: "folder" })).toMatchObject({
      status: "error",
      text: expect.stringContaining("ls")
    })
    const missing = await read({ path: "Abd.txt" })
    expect(missing.text).toContain("search_files")
    expect(missing.text).toContain("abc.txt")
  })

  test("a BOM is not shown, CRLF ends lines, and what is not UTF-8 is an error that says so", async () => {
    put("bom.txt", "\ufeffone\r\ntwo\r\n")
    expect((await read({ path: "bom.txt" })).text).toBe("1|one\n2|two")
    put("latin.txt", new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]))
    expect(await read({ path: "latin.txt" })).toMatchObject({
      status: "error",
      text: expect.stringContaining("not UTF-8")
    })
  })

  test("an image comes as an image, other binaries as type and size", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64"
    )
    put("dot.png", png)
    const image = await read({ path: "dot.png" })
    expect(image.result.content[1]).toEqual({
      type: "image",
      mediaType: "image/png",
      data: png.toString("base64")
    })
    put(
      "bin.dat",
      new Uint8Array(5000).map((_, at) => at % 7)
    )
    const binary = await read({ path: "bin.dat" })
    for (const [name, head, kind] of [
      ["a.zip", "PK\x03\x04\xff\0", "zip archive"],
      ["a.gz", "\x1f\x8b\x08\0", "gzip archive"],
      ["a.mp3", "ID3\x04\0\0", "MP3 audio"],
      ["a.wav", "RIFF\x24\0\0\0WAVEfmt ", "WAV audio"],
      ["a.mp4", "\0\0\0\x18ftypmp42", "MP4"],
      ["a.db", "SQLite format 3\0", "SQLite"]
    ] as const) {
      put(name, new Uint8Array(Buffer.from(head, "latin1")))
      const { status, text } = await read({ path: name })
      expect([name, status, text.includes(kind), text.includes(`${head.length} bytes`)]).toEqual([
        name,
        "error",
        true,
        true
      ])
    }
    expect(binary.text).toContain("5000 bytes")
    expect(binary.text).not.toContain("\0")
  })

  test("pipes, devices, sockets and link loops are refused before they are opened", async () => {
    execFileSync("mkfifo", [bench.at("fifo")])
    symlinkSync("/dev/zero", bench.at("zerolink"))
    symlinkSync("loop", bench.at("loop"))
    const socket = createServer().listen(bench.at("socket"))
    await new Promise((resolve) => socket.once("listening", resolve))
    for (const path of ["fifo", "/dev/zero", "zerolink", "loop", "socket"])
      expect([path, (await read({ path })).status]).toEqual([path, "error"])
    socket.close()
  })

  test("a huge file is read in part only", async () => {
    execFileSync("sh", ["-c", "yes 0123456789 | head -c 60000000 > huge.txt; truncate -s 3G sparse.txt"], {
      cwd: bench.workspace
    })
    expect((await read({ path: "huge.txt" })).status).toBe("error")
    expect((await read({ path: "huge.txt", offset: 5, limit: 2 })).text).toStartWith(
      "5|0123456789\n6|0123456789\n"
    )
    expect((await read({ path: "sparse.txt", limit: 5 })).text).toContain("binary")
  })

  test("secrets are closed by any spelling, link or hard link, and so is the environment of processes", async () => {
    writeFileSync(join(bench.cowHome, "credentials.json"), `{"token":"TOP-SECRET-VALUE"}`)
    writeFileSync(join(bench.cowHome, ".env"), "KEY=TOP-SECRET-VALUE\n")
    symlinkSync(join(bench.cowHome, "credentials.json"), bench.at("softlink"))
    linkSync(join(bench.cowHome, ".env"), bench.at("hardlink"))
    symlinkSync("/proc/self/environ", bench.at("envlink"))
    const spellings = [
      "~/cow/credentials.json",
      "~/cow/./../cow/.env",
      "../home/cow/credentials.json",
      join(bench.cowHome, "Credentials.json"),
      "softlink",
      "hardlink",
      "/proc/self/environ",
      "/proc/1/environ",
      "/proc/thread-self/environ",
      "envlink"
    ]
    for (const path of spellings) {
      const { status, text } = await read({ path })
      expect([path, status]).toEqual([path, "denied"])
      expect(text).not.toContain("TOP-SECRET")
      expect(await bench.verdicts("read", { path })).toEqual(["Deny", "Deny", "Deny"])
    }
    expect((await read({ path: "/proc/self/status" })).text).toContain("Name:")
    expect(await bench.verdicts("read", { path: "/etc/hostname" })).toEqual(["Allow", "Allow", "Allow"])
  })
})
