/**
 * The tool `delegate`: hands a request to a worker, who works on it in a conversation of its own. Registered where runs
 * are; what a worker does is `Delegation`, in whose hands the dispatcher gives its calls.
 */
import { Tool, ToolManager, ToolResult } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const delegate = Tool.make({
  name: "delegate",
  description:
    "Hands a self-contained piece of work to a worker, who starts with nothing but this request, has the same tools and rights, and gives back its answer. Good for work with many steps whose details are not needed here. Say all it must know: files, facts, what to give back.",
  inputSchema: {
    type: "object",
    properties: {
      request: { type: "string", description: "What the worker is to do, and all it must know" }
    },
    required: ["request"],
    additionalProperties: false
  },
  role: "delegate",
  // The worker's steps and tools have limits of their own.
  timeout: Duration.infinity,
  run: () => Effect.succeed(ToolResult.failed("delegate works inside a run only."))
})

export const layer: Layer.Layer<never, never, ToolManager> = Layer.effectDiscard(
  Effect.flatMap(ToolManager, (manager) => manager.register({ _tag: "Builtin" }, [delegate]))
)
