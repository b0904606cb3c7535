/** `cow skill install|update|uninstall|trust|assign`: what a person decides about skills that others wrote. */
import { defaultPersona, SkillAssignments } from "@cow/core"
import { type Installed, type InstallRefused, SkillInstaller, SkillLibrary } from "@cow/skills"
import * as Effect from "effect/Effect"
import { badUsage, ExitCode, failed } from "../command/ExitCode.ts"
import * as App from "../layers/App.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as RunSetup from "../run/RunSetup.ts"
import { Configuration } from "../settings/Configuration.ts"
import * as Consent from "../terminal/Consent.ts"
import { Output } from "../terminal/Output.ts"
import { counted } from "../terminal/Printable.ts"
import { noSkill, skillNamed } from "./skill.ts"

const tell = (text: string) => Effect.flatMap(Output, (output) => output.note(text))

const plain = ({ message }: { readonly message: string }) => failed(message)

const notFound = ({ name }: { readonly name: string }) => noSkill(name)

const installRefused = ({ code, message }: InstallRefused) =>
  failed(`${code}: ${message}`, code === "unwritable" ? ExitCode.failure : ExitCode.badInput)

const report = Effect.fnUntraced(function* ({ files, name, path, scripts, trusted, warnings }: Installed) {
  const run = scripts.length === 0 ? "no scripts" : `scripts: ${scripts.join(", ")}`
  yield* tell(`installed ${name} in ${path} (${counted(files.length, "file")}, ${run})`)
  for (const warning of warnings) yield* tell(`cow: warning: ${warning}`)
  if (trusted) return
  const { workspace } = yield* Configuration
  const yes = yield* Consent.ifYes(`Trust the text of ${name}, so that the model can read it?`)
  if (!yes) return yield* tell(`${name} is not trusted yet; when you have read it: cow skill trust ${name}`)
  yield* Effect.flatMap(SkillInstaller, (installer) => installer.trust(name, workspace))
  yield* tell(`trusted ${name}`)
})

export const install = Effect.fnUntraced(
  function* (input: {
    readonly sources: ReadonlyArray<string>
    readonly trust: boolean
    readonly force: boolean
    readonly frozen: boolean
  }) {
    yield* InsideRun.refuse("installing a skill")
    if (input.sources.length === 0 && !input.frozen)
      return yield* badUsage("cow skill install: SOURCE is missing")
    const { workspace } = yield* Configuration
    const installer = yield* SkillInstaller
    const options = {
      workspace,
      force: input.force,
      enabled: true,
      trusted: input.trust,
      assign: [defaultPersona.id]
    }
    if (input.frozen) {
      const done = yield* installer.installLocked(input.sources, options)
      if (done.length === 0) return yield* tell("everything is as the lock file says")
      return yield* Effect.forEach(done, report, { discard: true })
    }
    let leftOut = 0
    for (const source of input.sources) {
      const done = yield* installer.install(source, options)
      yield* Effect.forEach(done.installed, report, { discard: true })
      for (const { name, refusal } of done.leftOut)
        yield* tell(`cow: left out ${name}: ${refusal.code}: ${refusal.message}`)
      leftOut += done.leftOut.length
    }
    if (leftOut > 0)
      return yield* failed(`not installed: ${leftOut} of the skills, named above`, ExitCode.badInput)
  },
  Effect.catchTags({ InstallRefused: installRefused, SkillNotFound: notFound, TrustRefused: plain }),
  Effect.provide(App.installer)
)

export const update = Effect.fnUntraced(
  function* (input: { readonly names: ReadonlyArray<string>; readonly force: boolean }) {
    yield* InsideRun.refuse("updating a skill")
    const { workspace } = yield* Configuration
    const installer = yield* SkillInstaller
    const done = yield* installer.update(input.names, { workspace, force: input.force })
    if (done.length === 0) yield* tell("there is nothing to update")
    const { skills } = yield* Effect.flatMap(SkillLibrary, (library) => library.catalogue(workspace))
    const trusted = (name: string) => skills.some((skill) => skill.name === name && skill.trusted)
    for (const { changed, name } of done)
      yield* tell(
        !changed
          ? `${name} is up to date`
          : trusted(name)
            ? `updated ${name}; it is as you trusted it`
            : `updated ${name}; when you have read it: cow skill trust ${name}`
      )
  },
  Effect.catchTags({ InstallRefused: installRefused }),
  Effect.provide(App.installer)
)

export const uninstall = Effect.fnUntraced(
  function* ({ name }: { readonly name: string }) {
    const { workspace } = yield* Configuration
    const path = yield* Effect.flatMap(SkillInstaller, (installer) => installer.uninstall(name, workspace))
    yield* tell(`removed ${path}`)
  },
  Effect.catchTags({ InstallRefused: installRefused, SkillNotFound: notFound, NotRemovable: plain }),
  Effect.provide(App.installer)
)

export const trust = Effect.fnUntraced(
  function* ({ name }: { readonly name: string }) {
    yield* InsideRun.refuse("trusting a skill")
    const { workspace } = yield* Configuration
    const { installed, source } = yield* skillNamed(name)
    if (source !== "project" && !installed)
      return yield* tell(`${name} was not installed (${source}) and needs no trust`)
    const { digest } = yield* Effect.flatMap(SkillInstaller, (installer) => installer.trust(name, workspace))
    yield* tell(`trusted ${name} as it is now (${digest})`)
  },
  Effect.catchTags({ SkillNotFound: notFound, TrustRefused: plain }),
  Effect.provide(App.installer)
)

/** `*` is everyone. */
const knownPersona = (id: string) => (id === "*" ? Effect.succeed(id) : RunSetup.knownPersona(id))

export const assign = Effect.fnUntraced(
  function* (input: { readonly name: string; readonly persona: string; readonly remove: boolean }) {
    yield* InsideRun.refuse("assigning a skill")
    const { name } = yield* skillNamed(input.name)
    const persona = input.remove ? input.persona : yield* knownPersona(input.persona)
    const assignments = yield* SkillAssignments
    const changed = yield* assignments.set(persona, name, input.remove ? null : true)
    const what = input.remove
      ? `${name} is no longer assigned to ${persona}`
      : `${name} is assigned to ${persona}`
    yield* tell(changed ? what : `${what}; nothing changed`)
  },
  Effect.catchTags({ AssignmentsUnavailable: plain }),
  Effect.provide(App.personas),
  Effect.provide(App.skills)
)
