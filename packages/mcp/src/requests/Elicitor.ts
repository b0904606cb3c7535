/**
 * The port to the person whom a server asks to fill in a form. Where nobody is, every form is declined.
 *
 * Which requests of servers are answered at all is `ServerRequests`.
 */
import type { Message } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isObject } from "../config/ServerEntry.ts"

export interface ElicitationForm {
  readonly server: string
  /** The server's words: what it wants to know, and why. */
  readonly message: string
  /** JSON Schema of a flat object. */
  readonly schema: Message.JsonObject
}

export interface ElicitationVisit {
  readonly server: string
  /** The server's words: what for. */
  readonly message: string
  /** Where the person is to go; nothing opens it by itself. */
  readonly url: string
}

export type ElicitationAnswer =
  /** Fields that are left out get the default that the form gives them. */
  | { readonly _tag: "Accepted"; readonly content: Message.JsonObject }
  | { readonly _tag: "Declined" }
  | { readonly _tag: "Cancelled" }

export interface ElicitorShape {
  readonly ask: (form: ElicitationForm) => Effect.Effect<ElicitationAnswer>
  /** Absent: servers are told that they cannot send anybody to an address. */
  readonly visit?: ((request: ElicitationVisit) => Effect.Effect<ElicitationAnswer>) | undefined
}

export const Elicitor = Context.Reference<ElicitorShape>("@cow/mcp/Elicitor", {
  defaultValue: () => ({ ask: () => Effect.succeed({ _tag: "Declined" }) })
})

/** The content with the form's defaults for the fields that it leaves out. */
export const withDefaults = (content: Message.JsonObject, schema: Message.JsonObject): Message.JsonObject => {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && property.default !== undefined && !Object.hasOwn(content, name)
      ? [[name, property.default] as const]
      : []
  )
  return { ...content, ...Object.fromEntries(defaults) }
}
