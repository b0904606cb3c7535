/** The public face of `@cow/policy`. */
export { decide, type Facts } from "./Decide.ts"
export { Explain, type ExplainRequest, type ExplainStep, type Explanation } from "./Explain.ts"
export * as Grants from "./Grants.ts"
export { UnknownPersona } from "./Grants.ts"
export * as PolicyGate from "./PolicyGate.ts"
export * as PolicyRules from "./PolicyRules.ts"
export { isCovered, ProjectUnreadable, type Trust, TrustStore } from "./TrustStore.ts"
