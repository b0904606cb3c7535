/**
 * Runs scenarios of `@modelcontextprotocol/conformance` against `driver.ts`, one process each, and judges them
 * strictly: the runner ends with 0, something was checked, and no check failed or warned. (The package's own suites
 * ignore exit codes and warnings, and pass a scenario in which nothing was checked.)
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = join(import.meta.dir, "../..")
const packageFile = Bun.resolveSync("@modelcontextprotocol/conformance/package.json", root)
const driverMillis = 20_000
const runnerMillis = 60_000

export interface Outcome {
  readonly scenario: string
  /** Empty: passed. */
  readonly faults: ReadonlyArray<string>
}

/** Client scenarios that a revision requires. */
export const required = (revision: string): ReadonlyArray<string> => {
  const file = join(dirname(packageFile), "requirements", `${revision}.yaml`)
  const { client } = Bun.YAML.parse(readFileSync(file, "utf8")) as { readonly client: ReadonlyArray<string> }
  return client
}

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

const checksIn = (folder: string): ReadonlyArray<Check> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("checks.json"))
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as ReadonlyArray<Check>)

const run = async (revision: string, scenario: string): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "cow-conformance-"))
  try {
    const runner = Bun.spawn(
      [
        process.execPath,
        join(dirname(packageFile), "dist/index.js"),
        "client",
        ...["--command", `${process.execPath} ${join(import.meta.dir, "driver.ts")}`],
        ...["--scenario", scenario],
        ...["--spec-version", revision, "--force"],
        ...["--timeout", String(driverMillis)],
        ...["-o", folder]
      ],
      {
        cwd: root,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: runnerMillis,
        killSignal: "SIGKILL"
      }
    )
    const [stdout, stderr, code] = await Promise.all([
      new Response(runner.stdout).text(),
      new Response(runner.stderr).text(),
      runner.exited
    ])
    const checks = checksIn(folder)
    const faults = checks
      .filter(({ status }) => status === "FAILURE" || status === "WARNING")
      .map(({ errorMessage = "", id, status }) => `${status} ${id} ${errorMessage}`.trim())
    if (!checks.some(({ status }) => status === "SUCCESS")) faults.push("nothing was checked")
    if (code !== 0) faults.push(`the runner ended with ${code}: ${(stdout + stderr).slice(-1000)}`)
    return { scenario, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Some at a time: each is a runner and a driver. */
export const runAll = async (revision: string, atOnce: number): Promise<ReadonlyArray<Outcome>> => {
  const waiting = [...required(revision)]
  const outcomes: Array<Outcome> = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      outcomes.push(await run(revision, next))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return outcomes
}
