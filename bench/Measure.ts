/** What the measurements share: a home of one's own, a model that notes when a request arrives, medians. */
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { reply } from "../tests/FakeModel.ts"

export const root = path.resolve(import.meta.dir, "..")
export const built = path.join(root, "dist/cow")
export const source = [process.execPath, path.join(root, "packages/cli/src/main.ts")]
export const fixture = path.join(root, "bench/fixtures/server.ts")

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

/** @param part 0.99 for p99 */
export const percentile = (values: ReadonlyArray<number>, part: number): number =>
  [...values].sort((left, right) => left - right)[Math.ceil(values.length * part) - 1] ?? Number.NaN

export interface Home {
  readonly folder: string
  readonly env: Record<string, string>
  readonly remove: () => void
}

/** @param files contents by path below `cow/`, the `COW_HOME` */
export const makeHome = (files: Record<string, object> = {}): Home => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cow-bench-"))
  fs.mkdirSync(path.join(folder, "cow"))
  fs.mkdirSync(path.join(folder, "work"))
  for (const [name, value] of Object.entries(files))
    fs.writeFileSync(path.join(folder, "cow", name), JSON.stringify(value))
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    COW_HOME: path.join(folder, "cow"),
    OLLAMA_HOST: "127.0.0.1:9"
  }
  return { folder, env, remove: () => fs.rmSync(folder, { recursive: true, force: true }) }
}

/** A model server that answers with one word and notes when each request came. */
export const startModel = () => {
  const arrivals: Array<number> = []
  const answer = reply({ text: "ok" }, 1)
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      arrivals.push(performance.now())
      return new Response(answer, { headers: { "content-type": "text/event-stream" } })
    }
  })
  const config = {
    model: "bench/m",
    providers: {
      bench: { type: "anthropic", base_url: `http://127.0.0.1:${server.port}`, api_key: "sk-bench-key" }
    }
  }
  return { arrivals, config, stop: () => server.stop(true) }
}

/** Milliseconds from the start of a command to its end; throws when it fails. */
export const timeCommand = (command: ReadonlyArray<string>, home: Home): number => {
  const began = performance.now()
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    env: home.env,
    cwd: home.folder,
    stdout: "ignore"
  })
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`)
  return performance.now() - began
}

export const row = (name: string, figure: string, limit: string, holds: boolean): string =>
  `${holds ? "ok  " : "MISS"}  ${name.padEnd(52)} ${figure.padStart(12)}   ${limit}`
