/**
 * A tool: what a model sees of it (name, description, JSON Schema), what policy sees of it (`ToolSpec`), and how
 * it runs. Who may call it is `ToolGate`; where it is looked up is `ToolManager`.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { JsonObject } from "./Message.ts"
import type { PermissionMode } from "./Permission.ts"
import type { ToolResult } from "./ToolResult.ts"
import * as ToolSpec from "./ToolSpec.ts"

/** What a tool knows about the call it answers. Cancelling is interruption of the fiber that runs it. */
export interface ToolContext {
  readonly callId: string
  readonly runId: string
  readonly sessionId: string
  readonly persona: string
  /** Absolute path of the workspace folder. */
  readonly workspace: string
  readonly permission: PermissionMode
}

/**
 * What one call would do, judged from its arguments before it runs.
 *
 * - `Reads`: changes nothing.
 * - `WritesWorkspace`: changes files inside the workspace only.
 * - `Asks`: may change things; a person decides in `workspace-write`.
 * - `Escapes`: reaches outside the workspace or cannot be judged; allowed in `full-access` only.
 * - `Never`: refused in every mode.
 */
export type CallEffect =
  | { readonly _tag: "Reads" }
  | { readonly _tag: "WritesWorkspace" }
  | { readonly _tag: "Asks"; readonly reason: string }
  | { readonly _tag: "Escapes"; readonly reason: string }
  | { readonly _tag: "Never"; readonly reason: string }

/** Purposes that other parts look a tool up by, whatever its name. */
export type ToolRole = "read-file" | "search-tools" | "search-skills" | "delegate"

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, an object, exactly as it is sent to providers. */
  readonly inputSchema: JsonObject
  readonly spec: ToolSpec.ToolSpec
  /**
   * What answers the calls, where another can take its place under the same name: a program, an address. An approval
   * holds for that one alone. May be secret: compared, never shown.
   */
  readonly origin?: string
  readonly role?: ToolRole
  /** True: may run beside other calls of the same step. */
  readonly parallelSafe: boolean
  /** After this a call ends as `timeout`. Absent: a limit of the agent's. `Duration.infinity`: the tool keeps its own. */
  readonly timeout?: Duration.Duration
  /**
   * Judges one call. `input` absent: the mildest thing the tool can do, the same for as long as it is registered.
   * Absent altogether: the spec alone decides.
   */
  readonly effectOf?: (input: JsonObject | undefined, workspace: string) => Effect.Effect<CallEffect>
  /**
   * What it has running for a session beyond its calls, named as the model can ask for it. Absent: it never has.
   * Told to the model where a run is cut short, as what it started then goes on.
   */
  readonly background?: (sessionId: string) => Effect.Effect<ReadonlyArray<string>>
  /** Input has been checked against `inputSchema`. A defect becomes an error result with its message. */
  readonly run: (input: JsonObject, context: ToolContext) => Effect.Effect<ToolResult>
}

/** The input of a tool that was registered without a schema. */
const requestSchema: JsonObject = {
  type: "object",
  properties: { request: { type: "string" } },
  required: ["request"],
  additionalProperties: false
}

type Given = Pick<Tool, "name" | "description" | "run"> &
  Partial<Pick<Tool, "inputSchema" | "role" | "parallelSafe" | "timeout" | "effectOf" | "background">> & {
    /** The facts that differ from a built-in tool that changes nothing. */
    readonly spec?: Partial<ToolSpec.ToolSpec>
  }

/** Builds a tool with the defaults of a built-in one. Throws `ToolSpecInvalid`: a wrong spec is a bug of its author. */
export const make = ({ spec, ...given }: Given): Tool => {
  const facts = { name: given.name, specialist: "general_worker", tool: given.name, ...spec }
  return {
    parallelSafe: false,
    inputSchema: requestSchema,
    ...given,
    spec: Result.getOrThrow(ToolSpec.make(facts))
  }
}

/** Exactly what a provider is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export const definition = ({ name, description, inputSchema }: Tool): ToolDefinition => ({
  name,
  description,
  inputSchema
})
