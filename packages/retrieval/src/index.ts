/** The public face of `@cow/retrieval`. */
export * as LexicalIndex from "./LexicalIndex.ts"
export type { RetrievalSettings } from "./RetrievalSelector.ts"
export * as RetrievalSelector from "./RetrievalSelector.ts"
export * as SelectionQuery from "./SelectionQuery.ts"
export * as ToolDocument from "./ToolDocument.ts"
export * as ToolIndex from "./ToolIndex.ts"
export {
  ToolSearch,
  type ToolSearchAnswer,
  type ToolSearchRequest,
  type ToolSearchResult
} from "./ToolSearch.ts"
