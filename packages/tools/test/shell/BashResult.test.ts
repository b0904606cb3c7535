import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as BashResult from "../../src/shell/BashResult.ts"

const areSoft = async (commands: ReadonlyArray<string>) => {
  const answers = await Promise.all(commands.map((one) => Effect.runPromise(BashResult.isSoft(one))))
  return commands.filter((_, at) => answers[at])
}

const captured = (text: string) => ({ text, chars: text.length, lines: 1, file: undefined, fileIsCut: false })

describe("what is said of a command that has run", () => {
  test("exit 1 is an answer where the last command only asks something", async () => {
    const asking = [
      ..."grep egrep fgrep rg find diff cmp test [".split(" ").map((name) => `${name} x`),
      "find a; find b",
      'echo "a; b" && grep x',
      "VAR=1 grep x",
      "ls || grep x",
      "ls | grep x",
      "! grep x f",
      "(cd a && grep x f)",
      "{ ls; grep x f; } 2>/dev/null",
      "/usr/bin/grep x",
      "'grep' x # cat",
      "cat <<A | grep x\nrm\nA"
    ]
    expect(await areSoft(asking)).toEqual(asking)
    const doing = [
      "cat x",
      "python x",
      "ls x",
      "find x | head",
      "grep x; cat y",
      "$GREP x",
      "grep x &&",
      "for f in a; do cat f; done",
      "echo grep",
      "X=grep",
      ""
    ]
    expect(await areSoft(doing)).toEqual([])
  })

  test("a code over 128 is a signal only where the shell has told of one", () => {
    const ending = (code: number | undefined, stderr = "") =>
      BashResult.ending({ code, signal: undefined, leftRunning: false }, captured(stderr))
    const report = "x\n/usr/bin/bash: line 1: 4711 Killed                  sleep 9\n"
    expect(ending(137, report)).toBe("exit code 137: a command in it was killed by signal 9 (SIGKILL)")
    expect(ending(134, report.replace("Killed", "Aborted"))).toEndWith("killed by signal 6 (SIGABRT)")
    expect(ending(137)).toBe("exit code 137")
    expect(ending(137, "bash: line 1: nope: command not found")).toBe("exit code 137")
    expect(ending(128, report)).toBe("exit code 128")
    expect(ending(200, report)).toBe("exit code 200")
    expect(ending(3, report)).toBe("exit code 3")
    expect(ending(undefined)).toBe("ended by a signal")
  })
})
