import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as InstallSource from "../../../src/install/fetch/InstallSource.ts"

const parsed = (text: string) => Result.getOrThrow(InstallSource.parse(text))

describe("where a skill is installed from", () => {
  test("a repository may have a path and a ref", () => {
    const one = { _tag: "GitHub", owner: "o", repo: "r" } as const
    expect(parsed("github:o/r")).toEqual({ ...one, path: "", ref: "" })
    expect(parsed("github:o/r/skills/pdf@v1.2")).toEqual({ ...one, path: "skills/pdf", ref: "v1.2" })
    expect(parsed("github:o/r@feature/x")).toEqual({ ...one, path: "", ref: "feature/x" })
    expect(parsed("https://github.com/o/r.git")).toEqual({ ...one, path: "", ref: "" })
    expect(parsed("https://github.com/o/r/tree/main/skills/pdf")).toEqual({
      ...one,
      path: "skills/pdf",
      ref: "main"
    })
  })

  test("the host is compared whole", () => {
    for (const url of [
      "https://github.com.evil.example/o/r",
      "https://evilgithub.com/o/r",
      "https://github.com:444/o/r"
    ])
      expect(parsed(url)._tag).toBe("Url")
  })

  test("what has no scheme is a place on this machine", () => {
    for (const text of ["./tea", "/abs/tea.zip", "tea", "C:\\skills\\tea"])
      expect(parsed(text)).toEqual({ _tag: "Local", path: text })
  })

  test.each([
    "http://example.com/a.zip",
    "file:///etc/passwd",
    "ftp://example.com/a.zip",
    "https://user:secret@example.com/a.zip",
    "",
    "   ",
    "github:o",
    "github:o/r/../../x",
    "github:../r",
    "github:o/r@-x",
    "https://"
  ])("%j is refused", (text) => {
    const result = InstallSource.parse(text)
    expect(Result.isFailure(result) && result.failure.code).toBe("bad_source")
  })

  test("what is written down reads back as the same source", () => {
    for (const text of ["github:o/r", "github:o/r/a/b@main", "https://example.com/a.zip", "/abs/tea"])
      expect(InstallSource.format(parsed(text))).toBe(text)
  })

  test("of a page whose escapes are no text is refused", () => {
    expect(InstallSource.parse("https://github.com/a/%ZZ")._tag).toBe("Failure")
    expect(InstallSource.parse("https://github.com/a/%ff")._tag).toBe("Failure")
  })
})
