/** The guide in `docs/skills.md`: its example is a skill, and its bounds are those of the code. */
import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { maxBlockChars } from "../src/frontmatter/FrontmatterFence.ts"
import { SkillListing, SkillValidation } from "../src/index.ts"
import { read } from "../src/manifest/SkillManifest.ts"

const guide = await Bun.file(new URL("../../../docs/skills.md", import.meta.url)).text()

test("the example of the guide loads without a warning and is valid by the specification", async () => {
  const example = /```markdown\n(.*?)```/s.exec(guide)?.[1] ?? ""
  const manifest = await Effect.runPromise(read(example, "pdf-forms"))
  expect(manifest).toMatchObject({
    name: "pdf-forms",
    warnings: [],
    setup: "Install qpdf, and set FORMS_KEY to the key of your account.",
    metadata: { requires: { bins: ["qpdf"], env: ["FORMS_KEY"] } }
  })
  const problems = await Effect.runPromise(SkillValidation.check(example, "pdf-forms"))
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([])
})

test("the guide names the bounds that hold", () => {
  expect(guide).toContain(`at most ${maxBlockChars.toLocaleString("en")} characters`)
  expect(guide).toContain(`at least ${SkillListing.maxCharsOf(0).toLocaleString("en")} characters`)
})
