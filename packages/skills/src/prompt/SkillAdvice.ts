/**
 * What a model gets that calls a skill as if it were a tool: the skill's whole text, and the advice to follow it.
 *
 * Only skills that stand in the prompt are known here; any other name stays an unknown tool.
 */
import { type Adviser, ToolResult, UnknownToolAdvice, type UnknownToolRequest } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Skill } from "../manifest/Skill.ts"
import * as SkillName from "../manifest/SkillName.ts"
import { describe } from "../manifest/SkillRequirements.ts"
import { SkillLibrary } from "../SkillLibrary.ts"

/** Registers the adviser, for as long as the layer is open. */
export const layer: Layer.Layer<never, never, SkillLibrary | UnknownToolAdvice | FileSystem.FileSystem> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const library = yield* SkillLibrary
      const advice = yield* UnknownToolAdvice
      const fs = yield* FileSystem.FileSystem
      const adviser: Adviser = Effect.fn("SkillAdvice.advise")(function* (request) {
        const name = SkillName.normalize(request.name)
        const skills = yield* library.shown(request.persona, request.workspace)
        const skill = skills.find((one) => one.name === name)
        if (skill === undefined) return Option.none()
        if (!skill.available) return Option.some(ToolResult.failed(unavailable(skill)))
        const text = yield* Effect.option(fs.readFileString(skill.path))
        return Option.some(ToolResult.failed(called(skill, request, text)))
      })
      yield* advice.register(adviser)
    })
  )

const unavailable = (skill: Skill): string =>
  [
    `"${skill.name}" is a skill, not a tool, and it is unavailable: missing ${describe(skill.missing)}.`,
    ...(skill.manifest.setup === "" ? [] : [`Setup: ${skill.manifest.setup}`]),
    "Tell the user what is missing."
  ].join("\n")

const called = (skill: Skill, { offered }: UnknownToolRequest, text: Option.Option<string>): string => {
  const tools = offered.length === 0 ? "" : `: ${offered.join(", ")}`
  const head = `"${skill.name}" is a skill, not a tool: it cannot be called.`
  return Option.match(text, {
    onNone: () =>
      `${head} Its file ${skill.path} cannot be read now. It is described as: ${skill.description}\n` +
      `Go on with the existing tools${tools}.`,
    onSome: (whole) =>
      `${head} Here is the whole of ${skill.path}; follow it with the existing tools${tools}. ` +
      `Relative paths in it start at ${skill.base_dir}.\n\n${whole}`
  })
}
