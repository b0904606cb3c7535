import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { TrustStore } from "@cow/policy"
import { StateDbSqlite, TrustRecordsSqlite } from "@cow/store"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ProjectTrust from "../../src/settings/ProjectTrust.ts"

interface Scene {
  /** Below `.cow/skills`; an hour old. */
  readonly write: (file: string, text: string) => void
  /** What this process is told. */
  readonly ask: Effect.Effect<ReadonlyArray<string>>
  /** `cow trust` in another process: its own connection to the database. */
  readonly trustElsewhere: Effect.Effect<unknown, unknown>
  /** How often digests were taken. */
  readonly looks: () => number
}

const withScene = async (use: (scene: Scene) => Effect.Effect<void, unknown>) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cow-trust-")))
  const project = join(folder, "work")
  const old = new Date(Date.now() - 3_600_000)
  const age = (path: string) => utimesSync(path, old, old)
  mkdirSync(join(project, ".cow/skills"), { recursive: true })
  // A new one each time: a layer that is shared would be one connection.
  const connection = () =>
    Layer.fresh(TrustStore.layer).pipe(
      Layer.provideMerge(TrustRecordsSqlite.layer),
      Layer.provideMerge(StateDbSqlite.layer(join(folder, "state.db"))),
      Layer.provideMerge(BunServices.layer)
    )
  let looks = 0
  const here = Effect.gen(function* () {
    const store = yield* TrustStore
    const counted = TrustStore.of({
      ...store,
      state: (one) => {
        looks += 1
        return store.state(one)
      }
    })
    const trusted = yield* Effect.provideService(ProjectTrust.make, TrustStore, counted)
    yield* use({
      write: (file, text) => {
        const path = join(project, ".cow/skills", file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
        for (let at = path; at !== project; at = dirname(at)) age(at)
      },
      ask: Effect.map(trusted(project), (answer) => (typeof answer === "boolean" ? [] : [...answer])),
      trustElsewhere: Effect.flatMap(TrustStore, (other) => other.trust(project)).pipe(
        Effect.provide(connection()),
        Effect.scoped
      ),
      looks: () => looks
    })
  })
  await Effect.runPromise(Effect.scoped(Effect.provide(here, connection())))
  rmSync(folder, { recursive: true })
}

test("digests are taken once while neither the files nor the records change", () =>
  withScene(({ ask, looks, trustElsewhere, write }) =>
    Effect.gen(function* () {
      write("tea/SKILL.md", "tea")
      yield* trustElsewhere
      for (let round = 0; round < 5; round++) expect(yield* ask).toEqual([".cow/skills/tea"])
      expect(looks()).toBe(1)
    })
  ))

test("trust that another process gives counts at the next question", () =>
  withScene(({ ask, trustElsewhere, write }) =>
    Effect.gen(function* () {
      write("tea/SKILL.md", "tea")
      expect([yield* ask, yield* ask]).toEqual([[], []])
      yield* trustElsewhere
      expect(yield* ask).toEqual([".cow/skills/tea"])
    })
  ))

test("a file that changes with its size and time put back, or comes, is seen at the next question", () =>
  withScene(({ ask, trustElsewhere, write }) =>
    Effect.gen(function* () {
      write("cup/SKILL.md", "cup")
      write("tea/scripts/run.sh", "one")
      yield* trustElsewhere
      const both = [".cow/skills/cup", ".cow/skills/tea"]
      expect([yield* ask, yield* ask]).toEqual([both, both])
      write("tea/scripts/run.sh", "two")
      expect(yield* ask).toEqual([".cow/skills/cup"])
      write("tea/scripts/run.sh", "one")
      expect(yield* ask).toEqual(both)
      write("cup/more.md", "")
      expect(yield* ask).toEqual([".cow/skills/tea"])
    })
  ))

test("an empty project that brings its first skill is asked about at once", () =>
  withScene(({ ask, trustElsewhere, write }) =>
    Effect.gen(function* () {
      expect(yield* ask).toEqual([])
      write("tea/SKILL.md", "tea")
      expect(yield* ask).toEqual([])
      yield* trustElsewhere
      expect(yield* ask).toEqual([".cow/skills/tea"])
    })
  ))
