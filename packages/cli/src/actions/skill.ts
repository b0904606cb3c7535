/** `cow skill …`: which skills there are, what of them reaches the prompt, and their switches. */
import {
  type Catalogue,
  type ListedSkill,
  SkillLibrary,
  SkillListing,
  SkillPrompt,
  SkillSearch,
  SkillSearchTool
} from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { noSuch } from "../command/NoSuch.ts"
import * as App from "../layers/App.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

/** The tool that reads files, as it is registered. */
const readTool = "read"

export const stateOf = ({ available, enabled, reason }: ListedSkill): string => {
  if (available && enabled && reason === null) return "ready"
  return reason ?? (enabled ? "unavailable" : "disabled")
}

/** Of a description in a table, in terminal cells. */
const maxCells = 80
const maxStateCells = 40

const tableOf = (skills: ReadonlyArray<ListedSkill>): string =>
  Table.render(
    ["NAME", "SOURCE", "STATE", "DESCRIPTION"],
    skills.map((skill) => [
      Table.cut(skill.name, maxStateCells),
      skill.source,
      Table.cut(stateOf(skill), maxStateCells),
      Table.cut(skill.description, maxCells)
    ])
  )

const diagnosticsOf = Effect.fnUntraced(function* ({
  diagnostics,
  shadowed
}: Pick<Catalogue, "diagnostics" | "shadowed">) {
  const output = yield* Output
  for (const { name, path, reason } of shadowed)
    yield* output.note(`cow: skill ${name} at ${path} is shadowed: ${reason}`)
  for (const { message, path, severity } of diagnostics)
    yield* output.note(`cow: ${severity}: ${path}: ${message}`)
})

/** What a person does about skills that are not trusted: a project's at once, installed ones one by one. */
const trustHints = (skills: ReadonlyArray<ListedSkill>): ReadonlyArray<string> => {
  const untrusted = skills.filter(({ trusted }) => !trusted)
  const ofProject = untrusted.filter(({ source }) => source === "project").length
  return [
    ...(ofProject === 0
      ? []
      : [`${ofProject} of this project's skills are not trusted; when you have read them: cow trust`]),
    ...untrusted
      .filter(({ source }) => source !== "project")
      .map(({ name }) => `${name} is not trusted; when you have read it: cow skill trust ${name}`)
  ]
}

export const list = Effect.fnUntraced(function* (input: {
  readonly persona: string
  readonly json: boolean
}) {
  const output = yield* Output
  const { workspace } = yield* Configuration
  const found = yield* Effect.flatMap(SkillLibrary, (library) => library.list(workspace, input.persona))
  if (input.json) return yield* output.json(found)
  if (found.skills.length === 0) yield* output.note("no skills yet; write one with: cow skill new NAME")
  yield* output.text(tableOf(found.skills))
  yield* diagnosticsOf(found)
  for (const hint of trustHints(found.skills)) yield* output.note(`cow: ${hint}`)
}, Effect.provide(App.skills))

/** Exit 42, with the names that were perhaps meant. */
export const noSkill = Effect.fnUntraced(function* (name: string) {
  const { workspace } = yield* Configuration
  const { skills } = yield* Effect.flatMap(SkillLibrary, (library) => library.catalogue(workspace))
  return yield* noSuch(
    "skill",
    name,
    skills.map((skill) => skill.name)
  )
})

/** Fails with exit 42 where there is none of that name. */
export const skillNamed = Effect.fnUntraced(function* (name: string) {
  const { workspace } = yield* Configuration
  const found = yield* Effect.flatMap(SkillLibrary, (library) => library.find(name, workspace))
  return Option.isSome(found) ? found.value : yield* noSkill(name)
})

export const search = Effect.fnUntraced(function* (input: {
  readonly query: string
  readonly persona: string
  readonly json: boolean
}) {
  const output = yield* Output
  const { workspace } = yield* Configuration
  const { skills } = yield* Effect.flatMap(SkillLibrary, (library) => library.list(workspace, input.persona))
  const hits = SkillSearch.search(input.query, skills)
  if (input.json)
    return yield* output.json({
      query: input.query,
      results: hits.map(({ score, skill }) => ({
        name: skill.name,
        description: skill.description,
        path: skill.path,
        available: skill.available,
        score
      }))
    })
  if (hits.length === 0) return yield* output.note(`no skill fits "${input.query}"`)
  yield* output.text(tableOf(hits.map(({ skill }) => skill)))
}, Effect.provide(App.skills))

export const prompt = Effect.fnUntraced(function* (input: { readonly persona: string }) {
  const output = yield* Output
  const { settings, workspace } = yield* Configuration
  const skills = yield* Effect.flatMap(SkillLibrary, (library) => library.shown(input.persona, workspace))
  const maxChars = SkillListing.maxCharsOf(settings.agent_max_context_tokens)
  yield* output.text(SkillPrompt.render(skills, readTool, { maxChars, searchTool: SkillSearchTool.name }))
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
