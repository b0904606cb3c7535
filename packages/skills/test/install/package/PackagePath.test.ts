import { describe, expect, test } from "bun:test"
import path from "node:path"
import * as fc from "fast-check"
import * as PackagePath from "../../../src/install/package/PackagePath.ts"

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

  test.each([
    ["a/con", "device"],
    ["AUX.txt", "device"],
    ["com\u00b9.log/x", "device"],
    ["a?.md", "sign"],
    ["a|b", "sign"],
    ["..\uff0f..\uff0fx", "looks like"],
    ["\uff0e\uff0e/x", "looks like"],
    ["a\uff3cb", "looks like"],
    ["c\uff1a/x", "looks like"],
    ["run\u202egnp.sh", "nobody sees"],
    ["SKILL\u200b.md", "nobody sees"],
    ["a. ", "ends in"],
    ["a./b", "ends in"]
  ])("%j is refused", (path, why) => {
    expect(PackagePath.refusal(path)).toContain(why)
  })

  test("clashes with another in letter case or Unicode form, or as file and folder, in any order", () => {
    expect(PackagePath.clash(["a/", "a/b", "a/c/d"])).toBeUndefined()
    expect(PackagePath.clash(["A", "a"])).toBe("a")
    expect(PackagePath.clash(["caf\u00e9", "cafe\u0301"])).toBe("cafe\u0301")
    expect(PackagePath.clash(["stra\u00dfe", "STRASSE"])).toBe("STRASSE")
    expect(PackagePath.clash(["\u03c3", "\u03c2"])).toBe("\u03c2")
    expect(PackagePath.clash(["a", "a/b"])).toBe("a/b")
    expect(PackagePath.clash(["a/b", "a"])).toBe("a")
    expect(PackagePath.clash(["a/b", "A/c"])).toBe("A/c")
    expect(PackagePath.clash(["a/", "a/"])).toBe("a/")
  })
})
