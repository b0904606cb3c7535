import { describe, expect, test } from "bun:test"
import path from "node:path"
import * as fc from "fast-check"
import * as PackagePath from "../../src/install/PackagePath.ts"

describe("a path of a package", () => {
  test("that is accepted never leaves its folder, on any system", () => {
    const piece = fc.constantFrom("a", "..", ".", "", "b", "C:", "\\", "/", "c.txt", "é", "\0", " ", "~")
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom("", "/"), (pieces, joint) => {
        const given = pieces.join(joint)
        if (PackagePath.refusal(given) !== undefined) return
        expect(path.posix.resolve("/root", given).startsWith("/root/")).toBe(true)
        expect(path.win32.resolve("Z:\\root", given).startsWith("Z:\\root\\")).toBe(true)
      })
    )
  })

  test("ordinary ones are accepted, folders with a slash at the end", () => {
    for (const one of ["SKILL.md", "scripts/run.py", "a/b/c d/é.txt", "folder/", ".hidden"])
      expect(PackagePath.refusal(one)).toBeUndefined()
  })

  test("clashes with another in letter case or Unicode form, or as file and folder, in any order", () => {
    expect(PackagePath.clash(["a/", "a/b", "a/c/d"])).toBeUndefined()
    expect(PackagePath.clash(["A", "a"])).toBe("a")
    expect(PackagePath.clash(["caf\u00e9", "cafe\u0301"])).toBe("cafe\u0301")
    expect(PackagePath.clash(["a", "a/b"])).toBe("a/b")
    expect(PackagePath.clash(["a/b", "a"])).toBe("a")
    expect(PackagePath.clash(["a/b", "A/c"])).toBe("A/c")
    expect(PackagePath.clash(["a/", "a/"])).toBe("a/")
  })
})
