import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as LastWords from "../../src/process/LastWords.ts"

describe("the last words of a program", () => {
  for (const [whose, text, told] of [
    [
      "Node, of a missing file",
      `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/x.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)
    at ModuleLoader.resolve (node:internal/modules/esm/loader:1:1)
    at a (x:1:1)
    at b (x:1:1)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND'
}

Node.js v22.1.0`,
      "Error: Cannot find module '/x.js'\n  code: 'MODULE_NOT_FOUND'"
    ],
    [
      "Node, of an error with a code",
      "TypeError [ERR_X]: no such thing\n    at ModuleLoader.y (node:z:1:2)",
      "TypeError [ERR_X]: no such thing"
    ],
    [
      "Python",
      "starting\nTraceback (most recent call last):\n  File \"/s.py\", line 1, in <module>\n    import x\nModuleNotFoundError: No module named 'x'",
      "ModuleNotFoundError: No module named 'x'"
    ],
    ["Bun", "error: boom\n      at /tmp/x.ts:1:7\n\nBun v1.3.0 (Linux x64)", "error: boom"],
    [
      "Java",
      'Exception in thread "main" java.lang.IllegalStateException: no key\n\tat Main.main(Main.java:3)',
      'Exception in thread "main" java.lang.IllegalStateException: no key'
    ],
    ["one that prints no stack", "1\n2\n\n3\n4\n5\n6\r\n", "2\n3\n4\n5\n6"]
  ] as const)
    test(`${whose}, are ${JSON.stringify(told)}`, () => {
      expect(LastWords.of(text)).toBe(told)
    })

  test("are at most five lines of the text, in its order", () => {
    const line = fc.constantFrom<string>(
      "Error: x",
      "    at f (x:1:2)",
      "}",
      "plain",
      "",
      '  File "a", line 3',
      "last"
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const told = LastWords.of(lines.join("\n"))
          .split("\n")
          .filter((one) => one !== "")
        expect(told.length).toBeLessThanOrEqual(5)
        let at = 0
        for (const one of told) {
          at = lines.indexOf(one, at) + 1
          expect(at).toBeGreaterThan(0)
        }
      })
    )
  })
})
