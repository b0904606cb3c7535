import { expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"
import { Provider } from "../support/Provider.ts"

setDefaultTimeout(60_000)

const slow = "echo begun; sleep 1.6; echo over"

test("a slow command is told on stderr while it runs; not as JSON, not with --quiet, never to the model", async () => {
  const rows: ReadonlyArray<readonly [ReadonlyArray<string>, boolean]> = [
    [[], true],
    [["--quiet"], false],
    [["--output", "json"], false]
  ]
  for (const [flags, isTold] of rows) {
    using provider = new Provider([{ command: slow }, { text: "done" }])
    using cow = new Cow(provider.config)
    const { code, stderr, stdout } = await cow.run(["run", "--permission", "full-access", ...flags, "go"])
    expect([flags, code, stderr.includes("bash: running for 1 s: begun")]).toEqual([flags, 0, isTold])
    expect(stdout).not.toContain("running for")
    expect(provider.requests).toHaveLength(2)
    expect(provider.requests.join("")).not.toContain("running for")
  }
})
