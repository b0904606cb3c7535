/**
 * A plugin: a module whose default export is `Plugin.make({ … })`. Its layer registers tools, skill folders,
 * prompt sections, models or embedders in core's services; closing the layer takes everything back.
 */

import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Models } from "./Model.ts"
import type { PromptSections } from "./PromptSections.ts"
import type { SkillFolders } from "./SkillFolders.ts"
import type { ToolManager } from "./ToolManager.ts"
import type { UnknownToolAdvice } from "./UnknownToolAdvice.ts"

/** The version of the interface between Cow and plugins. A plugin made for another one is left out. */
export const apiVersion = 1

/** What a plugin may register in. */
export type PluginServices = ToolManager | PromptSections | UnknownToolAdvice | SkillFolders | Models

export interface Plugin {
  readonly id: string
  readonly version: string
  readonly apiVersion: number
  readonly layer: Layer.Layer<never, unknown, PluginServices>
}

export class PluginInvalid extends Schema.TaggedError<PluginInvalid>()("PluginInvalid", {
  message: Schema.String
}) {}

const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Throws `PluginInvalid`: a wrong plugin is a bug of its author, and whoever loads it reports it by name. */
export const make = (plugin: Plugin): Plugin => {
  if (!idPattern.test(plugin.id))
    throw new PluginInvalid({ message: `plugin id "${plugin.id}" must match ${idPattern.source}` })
  if (!Number.isInteger(plugin.apiVersion))
    throw new PluginInvalid({ message: `plugin ${plugin.id}: apiVersion must be a whole number` })
  return plugin
}
