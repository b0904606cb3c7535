/**
 * The built-in providers: wire, address, the variables that hold their key, and the model taken when none is named.
 * Pure table; `offline` stands beside it in `ModelProviders`, the choice of a model is `DefaultModel`.
 */
import type { ProviderType } from "./ModelSettings.ts"

export interface KnownProvider {
  readonly type: ProviderType
  readonly baseUrl: string
  /** Environment variables that may hold the key; the first that is set counts. Empty: needs none. */
  readonly keyVariables: ReadonlyArray<string>
  /** Environment variable that replaces `baseUrl`. */
  readonly baseUrlVariable?: string
  /** Absent: asked for at run time. */
  readonly defaultModel?: string
}

const known = {
  anthropic: {
    type: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-5"
  },
  openai: {
    type: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariable: "OPENAI_BASE_URL",
    defaultModel: "gpt-5.5"
  },
  google: {
    type: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    defaultModel: "gemini-3.5-flash"
  },
  deepseek: {
    type: "openai-compatible",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariables: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-chat"
  },
  qwen: {
    type: "openai-compatible",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY", "QWEN_API_KEY"],
    defaultModel: "qwen-plus"
  },
  glm: {
    type: "openai-compatible",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keyVariables: ["ZHIPUAI_API_KEY", "GLM_API_KEY"],
    defaultModel: "glm-4.6"
  },
  kimi: {
    type: "openai-compatible",
    baseUrl: "https://api.moonshot.cn/v1",
    keyVariables: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    defaultModel: "kimi-latest"
  },
  minimax: {
    type: "openai-compatible",
    baseUrl: "https://api.minimax.io/v1",
    keyVariables: ["MINIMAX_API_KEY"],
    defaultModel: "MiniMax-M2"
  },
  doubao: {
    type: "openai-compatible",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    keyVariables: ["ARK_API_KEY", "DOUBAO_API_KEY"],
    defaultModel: "doubao-seed-1-6-250615"
  },
  openrouter: {
    type: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    defaultModel: "openrouter/auto"
  },
  ollama: {
    type: "openai-compatible",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    baseUrlVariable: "OLLAMA_HOST"
  }
} as const satisfies Record<string, KnownProvider>

/** In the order in which a key found in the environment chooses its provider. */
export const table: ReadonlyMap<string, KnownProvider> = new Map<string, KnownProvider>(Object.entries(known))

/** Names of all built-in providers, `offline` last. */
export const names: ReadonlyArray<string> = [...table.keys(), "offline"]

/** The base URL of an Ollama from `OLLAMA_HOST`, which may be `host`, `host:port`, `:port` or a URL. */
export const ollamaBaseUrl = (host: string | undefined): string => {
  const given = (host ?? "").trim().replace(/\/+$/, "")
  if (given === "") return known.ollama.baseUrl
  if (/^https?:\/\//i.test(given)) return given.endsWith("/v1") ? given : `${given}/v1`
  const port = /:(\d+)$/.exec(given)?.[1] ?? "11434"
  const name = given.replace(/:\d+$/, "")
  return `http://${name === "" || name === "0.0.0.0" ? "127.0.0.1" : name}:${port}/v1`
}
