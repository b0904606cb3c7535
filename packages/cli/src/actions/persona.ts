/** `cow persona …`: who a run can act for. */
import { PersonaStore } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ExitCode, failed } from "../command/ExitCode.ts"
import * as App from "../layers/App.ts"
import * as RunSetup from "../run/RunSetup.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

const badInput = (message: string) => failed(message, ExitCode.badInput)

export const list = Effect.fnUntraced(function* (input: { readonly json: boolean }) {
  const output = yield* Output
  const personas = yield* Effect.flatMap(PersonaStore, (store) => store.list)
  if (input.json) return yield* output.json({ personas: personas.map(({ id, name }) => ({ id, name })) })
  yield* output.text(
    Table.render(
      ["ID", "NAME"],
      personas.map(({ id, name }) => [id, name])
    )
  )
}, Effect.provide(App.personas))

export const show = Effect.fnUntraced(
  function* (input: { readonly id: string; readonly json: boolean }) {
    const output = yield* Output
    const { id, name } = yield* Effect.flatMap(PersonaStore, (store) => store.get(input.id))
    if (input.json) return yield* output.json({ id, name })
    yield* output.text(`${id}  ${name}`)
  },
  Effect.catchTag("PersonaNotFound", ({ id }) => RunSetup.noPersona(id)),
  Effect.provide(App.personas)
)

export const add = Effect.fnUntraced(
  function* (input: { readonly id: string; readonly name: Option.Option<string> }) {
    const { id } = yield* Effect.flatMap(PersonaStore, (store) =>
      store.add(input.id, Option.getOrUndefined(input.name))
    )
    yield* Effect.flatMap(Output, (output) => output.note(`added persona ${id}`))
  },
  Effect.catchTags({
    PersonaExists: ({ id }) => failed(`there is a persona "${id}" already`),
    PersonaIdInvalid: ({ message }) => badInput(message)
  }),
  Effect.provide(App.personas)
)

export const remove = Effect.fnUntraced(
  function* (input: { readonly id: string }) {
    yield* Effect.flatMap(PersonaStore, (store) => store.remove(input.id))
    yield* Effect.flatMap(Output, (output) => output.note(`removed persona ${input.id}`))
  },
  Effect.catchTags({
    PersonaNotFound: ({ id }) => RunSetup.noPersona(id),
    PersonaRequired: ({ id }) => failed(`persona "${id}" cannot be removed`)
  }),
  Effect.provide(App.personas)
)
