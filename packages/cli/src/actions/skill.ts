/** `cow skill …`: which skills there are, what of them reaches the prompt, and their switches. */
import { type Catalogue, type Skill, SkillLibrary, SkillPrompt } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as App from "../App.ts"
import { Configuration } from "../Configuration.ts"
import { ExitCode, failed } from "../ExitCode.ts"
import { hint } from "../NearName.ts"
import { Output } from "../Output.ts"
import * as Table from "../Table.ts"

/** The tool that reads files, as it is registered. */
const readTool = "read"

const stateOf = ({ available, enabled, reason }: Skill): string => {
  if (available && enabled) return "ready"
  return reason ?? (enabled ? "unavailable" : "disabled")
}

const diagnosticsOf = Effect.fnUntraced(function* ({ diagnostics, shadowed }: Catalogue) {
  const output = yield* Output
  for (const { name, path, reason } of shadowed)
    yield* output.note(`cow: skill ${name} at ${path} is shadowed: ${reason}`)
  for (const { message, path, severity } of diagnostics)
    yield* output.note(`cow: ${severity}: ${path}: ${message}`)
})

export const list = Effect.fnUntraced(function* (input: { readonly json: boolean }) {
  const output = yield* Output
  const { workspace } = yield* Configuration
  const library = yield* SkillLibrary
  if (input.json) return yield* output.json(yield* library.list(workspace))
  const found = yield* library.catalogue(workspace)
  const rows = found.skills.map((skill) => [skill.name, skill.source, stateOf(skill), skill.description])
  yield* output.text(Table.render(["NAME", "SOURCE", "STATE", "DESCRIPTION"], rows))
  yield* diagnosticsOf(found)
}, Effect.provide(App.skills))

const skillNamed = Effect.fnUntraced(function* (name: string) {
  const { workspace } = yield* Configuration
  const library = yield* SkillLibrary
  const found = yield* library.find(name, workspace)
  if (Option.isSome(found)) return found.value
  const names = (yield* library.catalogue(workspace)).skills.map((skill) => skill.name)
  return yield* failed(`there is no skill "${name}"${hint(name, names)}`, ExitCode.badInput)
})

export const info = Effect.fnUntraced(function* (input: { readonly name: string; readonly json: boolean }) {
  const output = yield* Output
  const skill = yield* skillNamed(input.name)
  const { manifest, platformFits: _, ...listed } = skill
  if (input.json) return yield* output.json({ ...listed, setup: manifest.setup })
  const missing = Object.entries(skill.missing).flatMap(([kind, names]) =>
    names.length === 0 ? [] : [`${kind}: ${names.join(", ")}`]
  )
  const lines = [
    `${skill.name}  ${stateOf(skill)}  (${skill.source}${skill.trusted ? "" : ", not trusted"})`,
    skill.description,
    `file     ${skill.path}`,
    ...(missing.length === 0 ? [] : [`missing  ${missing.join("; ")}`]),
    ...(manifest.setup === "" ? [] : [`setup    ${manifest.setup}`])
  ]
  yield* output.text(lines.join("\n"))
}, Effect.provide(App.skills))

export const prompt = Effect.fnUntraced(function* (input: { readonly persona: string }) {
  const output = yield* Output
  const { workspace } = yield* Configuration
  const skills = yield* Effect.flatMap(SkillLibrary, (library) => library.shown(input.persona, workspace))
  yield* output.text(SkillPrompt.render(skills, readTool))
}, Effect.provide(App.skills))

const turn = (enabled: boolean) =>
  Effect.fnUntraced(function* (input: { readonly name: string }) {
    const { workspace } = yield* Configuration
    const library = yield* SkillLibrary
    const { name } = yield* skillNamed(input.name)
    yield* enabled ? library.enable(name, workspace) : library.disable(name, workspace)
    yield* Effect.flatMap(Output, (output) => output.note(`${enabled ? "enabled" : "disabled"} ${name}`))
  }, Effect.provide(App.skills))

export const enable = turn(true)
export const disable = turn(false)
