/**
 * The layers a command is made of. Each is loaded when the first command needs it: the list of skills starts no
 * server, the list of servers loads no model.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UserHome } from "../settings/UserHome.ts"

const loaded = <Module, A, E, R>(
  load: () => Promise<Module>,
  layer: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), layer))

/** `state.db` in the user's home; opened by the first use. */
export const stateDb = Layer.unwrap(
  Effect.gen(function* () {
    const { paths } = yield* UserHome
    const { StateDbSqlite } = yield* Effect.promise(() => import("@cow/store"))
    return StateDbSqlite.layer(paths.stateDb)
  })
).pipe(Layer.provideMerge(UserHome.layer))

export const personas = loaded(
  () => import("@cow/store"),
  ({ PersonaStoreSqlite }) => PersonaStoreSqlite.layer
).pipe(Layer.provideMerge(stateDb))

export const trust = loaded(
  () => import("@cow/policy"),
  ({ TrustStore }) => TrustStore.layer
).pipe(
  Layer.provideMerge(
    loaded(
      () => import("@cow/store"),
      ({ TrustRecordsSqlite }) => TrustRecordsSqlite.layer
    )
  ),
  Layer.provideMerge(stateDb)
)

export const configuration = loaded(
  () => import("../settings/Configuration.ts"),
  ({ Configuration }) => Configuration.layer
).pipe(Layer.provideMerge(trust))

/** Skills, as `cow skill` asks for them: no tool, no server, no model. */
export const skills = loaded(
  () => import("./SkillLayers.ts"),
  ({ library }) => library
).pipe(Layer.provideMerge(configuration))

/** The same, and what installs, trusts and removes them. */
export const installer = loaded(
  () => import("./SkillLayers.ts"),
  ({ installer }) => installer
).pipe(Layer.provideMerge(skills))

/** Sessions and runs in `state.db`, which this process owns under its own name. */
export const sessions = loaded(
  () => import("@cow/store"),
  ({ ProcessOwner, RunStoreSqlite, SessionStoreSqlite }) =>
    Layer.mergeAll(SessionStoreSqlite.layer, RunStoreSqlite.layer, ProcessOwner.layer)
).pipe(Layer.provideMerge(stateDb))
