import { expect, setDefaultTimeout, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

test("every script names the command it came from, its subcommands, and no other program", async () => {
  using cow = new Cow()
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout } = await cow.run(["completion", shell])
    expect(code).toBe(0)
    expect(stdout).toContain(`cow completion ${shell}`)
    expect(stdout).not.toContain("--completions")
    for (const word of ["runs", "doctor", "cancel", "uninstall"]) expect(stdout).toContain(word)
  }
})
