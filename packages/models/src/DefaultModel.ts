/**
 * Which model a run uses when several places could say: the first that does, and why. Pure; asking the environment
 * and an Ollama is the caller's (`OllamaProbe`).
 */
import * as KnownProviders from "./KnownProviders.ts"

export interface DefaultModelSources {
  /** `--model` */
  readonly flag?: string | undefined
  /** `COW_MODEL` */
  readonly variable?: string | undefined
  /** `model` of the project's config, only where the folder is trusted. */
  readonly project?: string | undefined
  /** `model` of the user's config. */
  readonly user?: string | undefined
  /** Built-in providers whose key is in the environment. */
  readonly keys: ReadonlySet<string>
  /** Models of an Ollama that answers; undefined: none does. */
  readonly ollama?: ReadonlyArray<string> | undefined
}

export interface ChosenModel {
  /** `provider/model` */
  readonly id: string
  readonly source: "flag" | "variable" | "project" | "user" | "key" | "ollama" | "offline"
  /** For people: `ANTHROPIC_API_KEY is set`. */
  readonly why: string
}

/** What is printed when no real model was found. One line. */
export const offlineNotice =
  "no model is set: offline/cow answers, a rule-based planner and no language model; set a real one with ANTHROPIC_API_KEY or OPENAI_API_KEY, --model, or `cow config set model provider/model`"

const said = [
  ["flag", "--model"],
  ["variable", "COW_MODEL"],
  ["project", "the project's config.json"],
  ["user", "config.json"]
] as const

export const choose = (sources: DefaultModelSources): ChosenModel => {
  for (const [source, place] of said) {
    const id = sources[source]?.trim()
    if (id !== undefined && id !== "") return { id, source, why: `set by ${place}` }
  }
  for (const [name, provider] of KnownProviders.table)
    if (sources.keys.has(name) && provider.defaultModel !== undefined)
      return { id: `${name}/${provider.defaultModel}`, source: "key", why: `the key of ${name} is set` }
  const local = sources.ollama?.[0]
  if (local !== undefined) return { id: `ollama/${local}`, source: "ollama", why: "an Ollama answers" }
  const why =
    sources.ollama === undefined
      ? "no key is set and no Ollama answers"
      : "no key is set and Ollama has no model"
  return { id: "offline/cow", source: "offline", why }
}
