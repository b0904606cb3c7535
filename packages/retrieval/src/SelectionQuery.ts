/** What a step is about, as the text to look tools up by: what was said in the newest messages. Pure. */
import type { Message } from "@cow/core"

/**
 * The texts of the last `window` messages, a line each. Tool calls, tool results, reasoning and images are left
 * out; a message that holds nothing else still takes its place in the window.
 */
export const build = (messages: ReadonlyArray<Message.Message>, window = 5): string =>
  (window > 0 ? messages.slice(-window) : [])
    .flatMap(({ parts }): ReadonlyArray<Message.UserPart | Message.AssistantPart> => parts)
    .flatMap((part) => (part.type === "text" ? [part.text.trim()] : []))
    .filter((text) => text !== "")
    .join("\n")
