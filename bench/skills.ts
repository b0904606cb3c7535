/**
 * What 1,000 skills cost: found, parsed and rendered cold, asked again while nothing changed, and a step's section of the
 * prompt. Beside them what the disk alone takes in the same run, since both grow with the load of the machine.
 */
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { PromptSections, SkillFolders, Tool, ToolResult } from "@cow/core"
import { SkillDiskNode, SkillLibrary, SkillSection } from "@cow/skills"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { median, row } from "./Measure.ts"

const count = Number(process.argv[2] ?? 1_000)
const rounds = 30
/** A step is far shorter than what stands beside it. */
const stepsARound = 10
/** A file that changed just now is read again until its time stamp is old enough to be believed. */
const settlingMillis = 3_500

const root = fs.mkdtempSync(path.join(os.tmpdir(), "cow-bench-skills-"))
const at = (...parts: ReadonlyArray<string>) => path.join(root, ...parts)
const file = (index: number) => at("cow/skills", `skill-${index}`, "SKILL.md")
const text = (index: number, word = "reports") => `---
name: skill-${index}
description: "Writes ${word} of kind ${index}: tables, charts and a summary. Use when kind ${index} is asked for."
license: MIT
metadata:
  cow:
    requires:
      bins: [sh]
      anyBins:
        - git
        - jj
    primaryEnv: KEY_${index}
---
# Skill ${index}

Follow the steps.
`
for (const folder of ["builtin", "work"]) fs.mkdirSync(at(folder))
for (let index = 0; index < count; index++) {
  fs.mkdirSync(path.dirname(file(index)), { recursive: true })
  fs.writeFileSync(file(index), text(index))
}
await Bun.sleep(settlingMillis)

const library = SkillLibrary.layer({
  builtinFolder: at("builtin"),
  cowHome: at("cow"),
  home: at("home"),
  platform: process.platform,
  env: (name) => process.env[name],
  programFolders: () => (process.env.PATH ?? "").split(path.delimiter),
  projectTrusted: () => Effect.succeed(true),
  openDisk: SkillDiskNode.open
})
const layers = SkillSection.layer.pipe(
  Layer.provideMerge(library),
  Layer.provideMerge(Layer.mergeAll(BunServices.layer, PromptSections.layer, SkillFolders.layer))
)
const reader = Tool.make({
  name: "read",
  description: "Opens a file",
  role: "read-file",
  run: () => Effect.succeed(ToolResult.ok(""))
})
const context = {
  persona: "default",
  permission: "read-only",
  workspace: at("work"),
  tools: [reader]
} as const

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const value = yield* effect
    return { value, ms: performance.now() - began }
  })
const time = (work: (file: string) => unknown): number => {
  const began = performance.now()
  for (const one of files) work(one)
  return performance.now() - began
}
const files = Array.from({ length: count }, (_, index) => file(index))
const ms = (value: number) => `${value.toFixed(2)} ms`

const most = process.platform === "linux" ? 0.5 : 2

const measure = Effect.gen(function* () {
  const sections = yield* PromptSections
  const { list } = yield* SkillLibrary
  const cold = yield* timed(sections.render(context))
  const seen = yield* list(context.workspace)
  if (seen.skills.length !== count) throw new Error(`${seen.skills.length} of ${count} skills were found`)
  // The first answer wrote the switches.
  yield* Effect.sleep(settlingMillis)
  // An answer that has stood for some questions is watched.
  for (let question = 0; question < 5; question++) yield* list(context.workspace)
  const again: Array<number> = []
  const steps: Array<number> = []
  const stats: Array<number> = []
  const reads: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    again.push((yield* timed(list(context.workspace))).ms)
    for (let step = 0; step < stepsARound; step++) steps.push((yield* timed(sections.render(context))).ms)
    stats.push(time((one) => fs.statSync(one)))
    if (round < 5) reads.push(time((one) => fs.readFileSync(one, "utf8")))
  }
  fs.writeFileSync(file(count - 1), text(count - 1, "letters"))
  const edited = yield* timed(list(context.workspace))
  if (!edited.value.skills.some(({ description }) => description.includes("letters")))
    throw new Error("an edit was not seen")
  const [warm, step, stat] = [median(again), median(steps), median(stats)]
  return [
    row(`${count} skills, found, parsed and rendered, cold`, ms(cold.ms), "≤ 400 ms", cold.ms <= 400),
    row("asked again, nothing changed (median)", ms(warm), "≤ 15 ms", warm <= 15),
    row("a step's section, nothing changed (median)", ms(step), "≤ 1 ms", step <= 1),
    // Only Linux keeps a record of changes that can be asked without waiting.
    row("  over one stat a file", (step / stat).toFixed(2), "≤ 0.5 on Linux, ≤ 2", step / stat <= most),
    row("one edited file, seen at the next question", ms(edited.ms), "", true),
    row("the disk alone: read every file", ms(median(reads)), "", true),
    row("the disk alone: one stat a file", ms(stat), "", true)
  ]
})

const rows = await Effect.runPromise(Effect.scoped(measure).pipe(Effect.provide(layers)))
console.log(rows.join("\n"))
fs.rmSync(root, { recursive: true, force: true })
