/** The MCP client's page of JSON about an answer that does not fit its schema, as one line. Pure. */
import { isObject } from "../config/ServerEntry.ts"

const listIn = (text: string): { readonly before: string; readonly issues: unknown } | undefined => {
  const at = text.search(/\[\s*\{/)
  if (at < 0) return undefined
  try {
    return { before: text.slice(0, at), issues: JSON.parse(text.slice(at)) }
  } catch {
    // Some other text with a bracket.
    return undefined
  }
}

/** Any other text stays as it is. */
export const shorten = (text: string): string => {
  const found = listIn(text)
  const first: unknown = Array.isArray(found?.issues) ? found.issues[0] : undefined
  if (found === undefined || !isObject(first as never)) return text
  const { code, message, path } = first as { code?: unknown; message?: unknown; path?: unknown }
  if (typeof code !== "string" || typeof message !== "string" || !Array.isArray(path)) return text
  if (path.length === 0 && code === "invalid_union") return `${found.before}it is no JSON-RPC message`
  return `${found.before}${path.length === 0 ? "" : `${path.join(".")}: `}${message}`
}
