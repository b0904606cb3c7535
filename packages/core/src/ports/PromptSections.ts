/**
 * The parts of the system prompt, contributed by whoever owns them and rendered in a fixed order of slots.
 *
 * Sections are read anew at every step, so a change on disk counts at the next one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Guest from "../model/Guest.ts"
import type { PermissionMode } from "../model/Permission.ts"
import type { Tool } from "../model/Tool.ts"
import * as Registrations from "./Registrations.ts"

/** In the order in which they stand. `extra` is where plugins go. */
export const slots = ["identity", "tools", "skills", "project", "extra", "workspace"] as const
export type PromptSlot = (typeof slots)[number]

/** What a section may depend on. */
export interface PromptContext {
  readonly persona: string
  readonly permission: PermissionMode
  readonly workspace: string
  /** The tools this step sends, in their order. */
  readonly tools: ReadonlyArray<Tool>
}

export interface PromptSection {
  /** For messages, and to order sections of one slot. */
  readonly id: string
  readonly slot: PromptSlot
  /** False: differs from step to step, so it cannot be part of a cached prefix. */
  readonly stable: boolean
  /** `""`: nothing to say; the section is left out. */
  readonly render: (context: PromptContext) => Effect.Effect<string>
}

export interface RenderedSection {
  readonly id: string
  readonly slot: PromptSlot
  readonly stable: boolean
  readonly text: string
}

export class PromptSections extends Context.Service<
  PromptSections,
  {
    readonly register: (section: PromptSection) => Effect.Effect<void, never, Scope.Scope>
    /** In order, empty ones left out. A section that fails, or takes longer than `Guest.maxSeconds`, is left out and logged. */
    readonly render: (context: PromptContext) => Effect.Effect<ReadonlyArray<RenderedSection>>
  }
>()("@cow/core/PromptSections") {
  static readonly layer: Layer.Layer<PromptSections> = Layer.sync(PromptSections, () => {
    const sections = Registrations.make<PromptSection>()
    const renderOne = (section: PromptSection, context: PromptContext) =>
      Guest.orElse(
        `prompt section ${section.id} is left out: it`,
        () => section.render(context),
        "",
        (text) => typeof text === "string"
      ).pipe(Effect.map((text): RenderedSection => ({ ...section, text: text.trim() })))
    const render = (context: PromptContext) =>
      Effect.suspend(() =>
        Effect.forEach(inOrder(sections.entries()), (section) => renderOne(section, context), {
          concurrency: "unbounded"
        })
      ).pipe(Effect.map((rendered) => rendered.filter(({ text }) => text !== "")))
    return PromptSections.of({ register: sections.register, render })
  })
}

const inOrder = (sections: Iterable<PromptSection>): ReadonlyArray<PromptSection> =>
  [...sections].sort(
    (left, right) =>
      slots.indexOf(left.slot) - slots.indexOf(right.slot) ||
      (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
  )
