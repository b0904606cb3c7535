/** `cow skill …`: which skills there are, what of them reaches the prompt, and their switches. */
import { NearNames } from "@cow/core"
import {
  type Assignment,
  type Catalogue,
  type ListedSkill,
  SkillInstaller,
  SkillLibrary,
  SkillListing,
  SkillPrompt,
  SkillSearch,
  SkillSearchTool
} from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as App from "../App.ts"
import { Configuration } from "../Configuration.ts"
import { failed } from "../ExitCode.ts"
import { Output } from "../Output.ts"
import * as Table from "../Table.ts"

/** The tool that reads files, as it is registered. */
const readTool = "read"

const stateOf = ({ available, enabled, reason }: ListedSkill): string => {
  if (available && enabled && reason === null) return "ready"
  return reason ?? (enabled ? "unavailable" : "disabled")
}

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

export const list = Effect.fnUntraced(function* (input: {
  readonly persona: string
  readonly json: boolean
}) {
  const output = yield* Output
  const { workspace } = yield* Configuration
  const found = yield* Effect.flatMap(SkillLibrary, (library) => library.list(workspace, input.persona))
  if (input.json) return yield* output.json(found)
  const rows = found.skills.map((skill) => [skill.name, skill.source, stateOf(skill), skill.description])
  yield* output.text(Table.render(["NAME", "SOURCE", "STATE", "DESCRIPTION"], rows))
  yield* diagnosticsOf(found)
}, Effect.provide(App.skills))

/** Fails with exit 1 where there is none of that name. */
const skillNamed = Effect.fnUntraced(function* (name: string) {
  const { workspace } = yield* Configuration
  const library = yield* SkillLibrary
  const found = yield* library.find(name, workspace)
  if (Option.isSome(found)) return found.value
  const names = (yield* library.catalogue(workspace)).skills.map((skill) => skill.name)
  return yield* failed(`there is no skill "${name}"${NearNames.hint(name, names)}`)
})

/** Persona ids that have the skill, `*` for everyone; `!` marks those it was taken from. */
const assignedTo = (assignments: ReadonlyArray<Assignment>, installed: boolean): ReadonlyArray<string> => {
  const everyone = installed || assignments.some(({ persona }) => persona === "*") ? [] : ["*"]
  return [...everyone, ...assignments.map(({ allowed, persona }) => (allowed ? persona : `!${persona}`))]
}

export const info = Effect.fnUntraced(
  function* (input: { readonly name: string; readonly json: boolean }) {
    const output = yield* Output
    const { workspace } = yield* Configuration
    yield* skillNamed(input.name)
    const installer = yield* SkillInstaller
    const { assignments, digest, files, installed, scripts, skill, trustedAt } = yield* installer.info(
      input.name,
      workspace
    )
    const { installed: isInstalled, manifest, platformFits: _, ...listed } = skill
    const assigned = assignedTo(assignments, isInstalled)
    if (input.json)
      return yield* output.json({
        ...listed,
        setup: manifest.setup,
        installed_from: installed?.source ?? null,
        commit: installed?.commit ?? null,
        installed_at: installed?.installed_at ?? null,
        trusted_at: trustedAt,
        digest,
        assigned_persona_ids: assigned,
        files,
        scripts
      })
    const missing = Object.entries(skill.missing).flatMap(([kind, names]) =>
      names.length === 0 ? [] : [`${kind}: ${names.join(", ")}`]
    )
    const row = (label: string, value: string | null) =>
      value === null || value === "" ? [] : [`${label.padEnd(9)}${value}`]
    const lines = [
      `${skill.name}  ${stateOf(skill)}  (${skill.source}${skill.trusted ? "" : ", not trusted"})`,
      skill.description,
      ...row("file", skill.path),
      ...row("from", installed?.source ?? null),
      ...row("commit", installed?.commit ?? null),
      ...row("since", installed?.installed_at ?? null),
      ...row("trusted", trustedAt),
      ...row("digest", digest),
      ...row("for", assigned.join(", ") || "nobody"),
      ...row("files", files.join(", ")),
      ...row("scripts", scripts.join(", ")),
      ...row("missing", missing.join("; ")),
      ...row("setup", manifest.setup)
    ]
    yield* output.text(lines.join("\n"))
  },
  Effect.catchTag("SkillNotFound", ({ message }) => failed(message)),
  Effect.provide(App.installer)
)

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
  const rows = hits.map(({ skill }) => [skill.name, skill.source, stateOf(skill), skill.description])
  yield* output.text(Table.render(["NAME", "SOURCE", "STATE", "DESCRIPTION"], rows))
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
