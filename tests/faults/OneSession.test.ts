/**
 * Two processes work on one session as fast as they can and are killed at any moment, a hundred times. Real processes,
 * a real database. `SEED=n bun test` takes the same random moments again, as far as a machine can.
 */
import { expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { Message, RunStore, SessionStore, Transcript } from "@cow/core"
import { RunStoreSqlite, SessionStoreSqlite, StateDbSqlite } from "@cow/store"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

setDefaultTimeout(240_000)

const rounds = 10
const killsARound = 10
/** Far below the lease: the death of a process of this machine is seen at once. */
const patience = 10_000

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)

/** Mulberry32. */
const random = (() => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
})()

interface Worker {
  readonly tell: (line: string) => void
  readonly kill: () => Promise<unknown>
  readonly lines: ReadonlyArray<string>
  readonly ready: Promise<unknown>
}

/** What all workers have said of their prompts since the round began, and who waits for more of it. */
const said = (() => {
  const waiting = new Set<() => void>()
  return {
    begun: new Set<string>(),
    done: [] as Array<string>,
    other: [] as Array<string>,
    heard(lines: ReadonlyArray<string>) {
      for (const line of lines) {
        const [word = "", prompt = ""] = line.split(" ")
        if (word === "begun") this.begun.add(prompt)
        else if (word === "done") this.done.push(prompt)
        else if (line !== "ready" && line !== "paused") this.other.push(line)
      }
      for (const wake of waiting) wake()
    },
    forget() {
      this.begun.clear()
      this.done.length = 0
    },
    until: (what: string, holds: () => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!holds()) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.delete(check)
          reject(new Error(`${what}: nothing within ${patience} ms (seed ${seed})`))
        }, patience)
        waiting.add(check)
        check()
      })
  }
})()

const start = (program: string, database: string, name: string): Worker => {
  const child = Bun.spawn([process.execPath, program, database, name], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit"
  })
  const lines: Array<string> = []
  const reading = (async () => {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = parts.pop() ?? ""
      lines.push(...parts)
      said.heard(parts)
    }
  })()
  return {
    tell: (line) => {
      child.stdin.write(`${line}\n`)
      child.stdin.flush()
    },
    kill: () => {
      child.kill("SIGKILL")
      return Promise.all([child.exited, reading])
    },
    lines,
    ready: said.until(`worker ${name}`, () => lines.includes("ready"))
  }
}

const count = (all: ReadonlyArray<string>, one: string): number => all.filter((text) => text === one).length

/** The session and the runs as they are stored, held against what the workers said. */
const examine = Effect.fnUntraced(function* (
  session: string,
  begun: ReadonlyArray<string>,
  done: ReadonlyArray<string>
) {
  const messages = yield* (yield* SessionStore).messages(session)
  const texts = messages.map(Message.textOf)
  const calls = messages.flatMap(Message.toolCallsOf).map(({ id }) => id)
  const results = messages.flatMap(Message.toolResultsOf).map(({ callId }) => callId)
  const where = `session ${session}, seed ${seed}`

  const counted = (all: ReadonlyArray<string>) => all.map((prompt) => [where, prompt, count(texts, prompt)])
  expect(counted(begun)).toEqual(begun.map((prompt) => [where, prompt, 1]))
  const answers = done.map((prompt) => `answer to ${prompt}`)
  expect(counted(answers)).toEqual(answers.map((answer) => [where, answer, 1]))
  expect([where, new Set(texts.filter((text) => text !== "")).size]).toEqual([
    where,
    texts.filter((text) => text !== "").length
  ])
  expect([where, [...calls].sort()]).toEqual([where, [...results].sort()])
  expect([where, new Set(calls).size]).toEqual([where, calls.length])
  expect([where, Transcript.isValid(messages)]).toEqual([where, true])

  // Whoever answers answers the last one who asked.
  let asked = ""
  for (const [at, message] of messages.entries()) {
    const text = texts[at] ?? ""
    if (message.role === "user" && text !== "") asked = text
    if (message.role === "assistant" && text !== "")
      expect([where, text]).toEqual([where, `answer to ${asked}`])
    for (const { id } of Message.toolCallsOf(message))
      expect([where, id.split("/")[0]]).toEqual([where, asked])
  }

  const { items } = yield* (yield* RunStore).list({ sessionId: session })
  expect([where, items.filter(({ status }) => status === "completed").length]).toEqual([where, done.length])
  const others = items.filter(({ status }) => status !== "completed")
  expect(others.map(({ error, status }) => [where, status, error])).toEqual(
    others.map(() => [where, "failed", "interrupted"])
  )
  return { interrupted: others.length, messages: messages.length }
})

test("killed at any moment, a hundred times, nothing is lost, nothing comes twice, every call has its answer", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cow-kill-"))
  const database = path.join(folder, "state.db")
  const built = await Bun.build({
    entrypoints: [path.join(import.meta.dir, "session-worker.ts")],
    target: "bun",
    // A hundred starts are what this test costs.
    format: "cjs",
    minify: true,
    bytecode: true,
    outdir: folder
  })
  expect(built.logs).toEqual([])
  const program = path.join(folder, "session-worker.js")
  const all: Array<Worker> = []
  const spare: Array<Worker> = []
  const hire = () => {
    const worker = start(program, database, `w${all.length}`)
    all.push(worker)
    spare.push(worker)
  }
  const next = async (): Promise<Worker> => {
    while (spare.length < 3) hire()
    const worker = spare.shift() as Worker
    await worker.ready
    return worker
  }
  const totals = { interrupted: 0, messages: 0 }
  try {
    const pair = [await next(), await next()]
    for (let round = 0; round < rounds; round++) {
      const session = `s${round}`
      said.forget()
      const goesOn = (what: string) => {
        const soFar = said.done.length
        return said.until(`session ${session} ${what}`, () => said.done.length > soFar)
      }
      for (const worker of pair) worker.tell(`go ${session}`)
      for (let kill = 0; kill < killsARound; kill++) {
        // They come to work, and then any moment is as good as any other.
        await goesOn("goes on")
        await Bun.sleep(random() * 40)
        const at = random() < 0.5 ? 0 : 1
        await pair[at]?.kill()
        const fresh = await next()
        pair[at] = fresh
        fresh.tell(`go ${session}`)
      }
      await goesOn("outlives its last kill")
      const paused = () => pair.every(({ lines }) => lines.at(-1) === "paused")
      for (const worker of pair) worker.tell("pause")
      await said.until(`session ${session} rests`, paused)
      const found = await Effect.runPromise(
        examine(session, [...said.begun], said.done).pipe(
          Effect.provide(
            Layer.merge(SessionStoreSqlite.layer, RunStoreSqlite.layer).pipe(
              Layer.provide(StateDbSqlite.layer(database)),
              Layer.provide(BunServices.layer)
            )
          )
        )
      )
      totals.interrupted += found.interrupted
      totals.messages += found.messages
    }
    expect(said.other).toEqual([])
    // Most kills met somebody in the middle of a run.
    expect(totals.interrupted).toBeGreaterThan((rounds * killsARound) / 10)
  } catch (cause) {
    console.error(`seed ${seed}`)
    throw cause
  } finally {
    await Promise.all(all.map((worker) => worker.kill()))
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
