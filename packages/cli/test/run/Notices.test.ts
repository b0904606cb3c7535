import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(60_000)

test("the offline model's notice comes once a day, and not with --quiet", async () => {
  using cow = new Cow({})
  const told = async (...args: ReadonlyArray<string>) => (await cow.run(["run", ...args, "hi"])).stderr
  expect(await told("--quiet")).toBe("")
  expect(await told()).toContain("offline/cow answers")
  expect(await told()).toBe("")
  const file = join(cow.home, "run/notices.json")
  writeFileSync(file, readFileSync(file, "utf8").replace(/\d{4}-\d\d-\d\d/, "2020-01-01"))
  expect(await told()).toContain("offline/cow answers")
  writeFileSync(file, "{broken")
  expect(await told()).toContain("offline/cow answers")
})
