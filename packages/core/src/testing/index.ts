/** `@cow/core/testing`: what every layer of core's ports must keep, for the tests of who writes one. */
export * as Contract from "./Contract.ts"
export { ContractBroken } from "./Contract.ts"
export * as PersonaStoreContract from "./PersonaStoreContract.ts"
export * as RunClaimContract from "./RunClaimContract.ts"
export * as RunStoreContract from "./RunStoreContract.ts"
export * as SessionStoreContract from "./SessionStoreContract.ts"
export { someRun } from "./SomeRun.ts"
