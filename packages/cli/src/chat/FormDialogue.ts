/**
 * The layer of the MCP servers' `Elicitor` on a terminal: a form is asked field by field, an address is shown and opened
 * only by the person. Who asks is said first, and what looks like a secret is not asked at all.
 *
 * What a line means for a field is `FormField`; where lines come from is `Questions`.
 */
import { type ElicitationAnswer, type ElicitationForm, type ElicitationVisit, Elicitor } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Questions } from "../terminal/Questions.ts"
import * as FormField from "./FormField.ts"

const declined: ElicitationAnswer = { _tag: "Declined" }
const cancelled: ElicitationAnswer = { _tag: "Cancelled" }

/** A line that ends the form, or none. */
const ending = (line: string | undefined): ElicitationAnswer | undefined => {
  if (line === undefined || /^\s*\/cancel\s*$/i.test(line)) return cancelled
  return /^\s*\/(?:decline|deny)\s*$/i.test(line) ? declined : undefined
}

export const layer: Layer.Layer<never, never, Questions> = Layer.effect(
  Elicitor,
  Effect.gen(function* () {
    const questions = yield* Questions

    const fill = Effect.fnUntraced(function* ({ message, schema, server }: ElicitationForm) {
      const fields = FormField.ofForm(schema)
      const secret = fields.find(FormField.asksForSecret)
      if (secret !== undefined) {
        yield* questions.tell(
          `cow: MCP server "${server}" asks for "${secret.name}", which looks like a secret: declined, servers must not ask for one here`
        )
        return declined
      }
      yield* questions.tell(`cow: MCP server "${server}" asks: ${message}`)
      yield* questions.tell("  (never type a password or key here; /decline refuses, /cancel stops)")
      const content: Record<string, FormField.Value> = {}
      for (const field of fields) {
        let complaint: ReadonlyArray<string> = []
        for (;;) {
          const line = yield* questions.ask([...complaint, ...FormField.question(field)])
          const end = ending(line)
          if (end !== undefined) return end
          const value = FormField.parse(field, line ?? "")
          if (Result.isSuccess(value)) {
            if (value.success !== undefined) content[field.name] = value.success
            break
          }
          complaint = [`  ${value.failure}`]
        }
      }
      if (fields.length > 0) return { _tag: "Accepted", content } satisfies ElicitationAnswer
      return yield* agreed
    })

    const agreed: Effect.Effect<ElicitationAnswer> = Effect.suspend(() =>
      Effect.flatMap(questions.ask(["  agree? yes or no"]), (line) => {
        const end = ending(line)
        if (end !== undefined) return Effect.succeed(end)
        if (/^\s*(?:y|yes|ok)\s*$/i.test(line ?? ""))
          return Effect.succeed<ElicitationAnswer>({ _tag: "Accepted", content: {} })
        return /^\s*(?:n|no)\s*$/i.test(line ?? "") ? Effect.succeed(declined) : agreed
      })
    )

    const visit = ({ message, server, url }: ElicitationVisit) =>
      questions
        .tell(`cow: MCP server "${server}" asks you to open an address in your browser: ${message}`)
        .pipe(Effect.andThen(questions.tell(`  ${url}`)), Effect.andThen(agreed))

    return {
      ask: (form) => questions.alone(fill(form)),
      visit: (request) => questions.alone(visit(request))
    }
  })
)
