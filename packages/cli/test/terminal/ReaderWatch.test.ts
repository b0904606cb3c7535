import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"
import { Provider } from "../support/Provider.ts"

setDefaultTimeout(60_000)

describe("a reader that goes away", () => {
  test("leaves no word behind, whatever was being said", () => {
    using cow = new Cow()
    const left = (args: string) =>
      cow
        .shell(`( "$0" "$1" ${args} 2>err; echo $? >code ) | true; echo "$(cat code) $(cat err)"`)
        .stdout.trim()
    for (const args of ["--version", "--help", "mcp --help", "tools list", "completion bash"])
      expect(left(args)).toMatch(/^(0|141)$/)
    expect(cow.shell(`"$0" "$1" --help | head -1; "$0" "$1" nonsense 2>&1 | true; echo done`).stdout).toMatch(
      /^[^\n]*\ndone\n$/
    )
  })

  test.if(process.platform === "linux")(
    "ends a running answer at once, also one that has said nothing yet",
    async () => {
      for (const args of ["run hi", "run --output json hi"]) {
        using model = new Provider([{ text: "Once upon a", hang: true }])
        using cow = new Cow(model.config)
        const child = Bun.spawn(
          ["sh", "-c", `( "$0" "$1" ${args} 2>err; echo $? >code ) | head -0; cat code err`, ...cow.command],
          cow.options
        )
        expect(await new Response(child.stdout).text()).toBe("141\n")
      }
    }
  )
})
