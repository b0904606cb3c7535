import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { maxBytes } from "../../../src/install/package/PackageFile.ts"
import * as ZipArchive from "../../../src/install/package/ZipArchive.ts"
import { type ZipEntry, zip } from "../ZipFixture.ts"

const read = (bytes: Uint8Array, below = "") =>
  Effect.runPromise(Effect.result(ZipArchive.read(bytes, { below })))

const code = async (bytes: Uint8Array): Promise<string> => {
  const result = await read(bytes)
  return result._tag === "Failure" ? result.failure.code : `accepted ${result.success.length}`
}

const good: ZipEntry = { path: "good/SKILL.md", content: "---\nname: good\n---\n" }
const beside = (path: string, more: Partial<ZipEntry> = {}) => zip([good, { path, content: "x", ...more }])

describe("a zip", () => {
  test("is read with its bytes and modes, folders left out", async () => {
    const result = await read(
      zip([
        good,
        { path: "good/scripts/", mode: 0o040755 },
        { path: "good/scripts/run.sh", content: "true\n", mode: 0o100755 },
        { path: "good/größe.txt", content: "ü".repeat(1000), stored: true }
      ])
    )
    expect(result._tag).toBe("Success")
    if (result._tag === "Failure") return
    expect(result.success.map(({ path, executable }) => [path, executable])).toEqual([
      ["good/SKILL.md", false],
      ["good/scripts/run.sh", true],
      ["good/größe.txt", false]
    ])
    expect(new TextDecoder().decode(result.success[2]?.bytes)).toBe("ü".repeat(1000))
  })

  test.each([
    "../x",
    "/x",
    "a/../../x",
    "good/../../MARKER.md",
    "a\\..\\x",
    "C:x",
    "C:\\x",
    "a\0b",
    "a//b",
    ".",
    "./x",
    "sub/../sibling.py",
    "a/b:stream"
  ])("with the entry %j is refused as unsafe", async (path) => {
    expect(await code(beside(path))).toBe("zip_unsafe_path")
  })

  test("with two entries that one file system takes for the same is refused", async () => {
    expect(await code(zip([good, good]))).toBe("zip_unsafe_path")
    expect(await code(beside("good/skill.md"))).toBe("zip_unsafe_path")
    expect(await code(beside("GOOD/x.md"))).toBe("zip_unsafe_path")
    expect(await code(beside("good/SKILL.md/x"))).toBe("zip_unsafe_path")
    expect(await code(beside("good"))).toBe("zip_unsafe_path")
  })

  test("with a link, a device or a pipe is refused", async () => {
    for (const kind of [0o120777, 0o020644, 0o060644, 0o010644, 0o140644])
      expect(await code(beside("good/x", { mode: kind }))).toBe("zip_link")
  })

  test("with an encrypted entry is refused", async () => {
    expect(await code(beside("good/x", { flags: 0x801 }))).toBe("zip_encrypted")
  })

  test("that is none, is cut or is damaged says so", async () => {
    expect(await code(new TextEncoder().encode("not a zip"))).toBe("not_a_zip")
    expect(await code(new Uint8Array())).toBe("not_a_zip")
    expect(await code(zip([good]).slice(0, -30))).toBe("not_a_zip")
    expect(await code(beside("good/x", { crc: 1 }))).toBe("not_a_zip")
  })

  test("may have 500 entries and not one more, folders counted", async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        path: at === 0 ? "folder/" : `folder/f${at}`,
        content: "x"
      }))
    expect(await code(zip(files(500)))).toBe("accepted 499")
    expect(await code(zip(files(501)))).toBe("zip_too_many_entries")
  })

  test("may unpack to 25 MiB and not one byte more, whatever its headers say", async () => {
    const half = new Uint8Array(maxBytes / 2)
    const of = (extra: number, declaredSize?: number) =>
      zip([
        { path: "a", content: half, ...(declaredSize === undefined ? {} : { declaredSize }) },
        {
          path: "b",
          content: new Uint8Array(maxBytes / 2 + extra),
          ...(declaredSize === undefined ? {} : { declaredSize })
        }
      ])
    expect(await code(of(0))).toBe("accepted 2")
    expect(await code(of(1))).toBe("zip_too_large")
    expect(await code(of(1, 10))).toBe("zip_too_large")
  })

  test("may have 25 MiB packed and not one byte more", async () => {
    const padding = (size: number) => {
      const empty = zip([good, { path: "pad", content: new Uint8Array(0), stored: true }]).byteLength
      return zip([good, { path: "pad", content: new Uint8Array(size - empty), stored: true }])
    }
    const allowed = padding(maxBytes)
    expect(allowed.byteLength).toBe(maxBytes)
    expect(await code(allowed)).toBe("accepted 2")
    expect(await code(padding(maxBytes + 1))).toBe("zip_too_large")
  })

  test("of a repository is judged only below the folder that was asked for", async () => {
    const repository = zip([
      { path: "repo-abc/", mode: 0o040755 },
      { path: "repo-abc/link", content: "x", mode: 0o120777 },
      { path: "repo-abc/skills/pdf/SKILL.md", content: "pdf" },
      { path: "repo-abc/skills/pdf/a/b.txt", content: "b" },
      { path: "repo-abc/skills/pdfs/SKILL.md", content: "other" }
    ])
    const result = await read(repository, "*/skills/pdf")
    expect(result._tag === "Success" && result.success.map(({ path }) => path)).toEqual([
      "SKILL.md",
      "a/b.txt"
    ])
    const whole = await read(repository, "*")
    expect(whole._tag === "Failure" && whole.failure.code).toBe("zip_link")
  })

  test("leaves out what systems put into archives", async () => {
    const result = await read(
      zip([
        good,
        { path: "__MACOSX/good/._SKILL.md" },
        { path: "good/.DS_Store" },
        { path: "good/.git/config" }
      ])
    )
    expect(result._tag === "Success" && result.success.map(({ path }) => path)).toEqual(["good/SKILL.md"])
  })
})
