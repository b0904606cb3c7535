/** `docs/http.md` is true: it lists what there is, and its examples run as they stand. */
import { describe, expect, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "../src/Api.ts"
import { statusOf } from "../src/failure/FailureCode.ts"
import { listening } from "./Listening.ts"
import { linesOf } from "./ServerTest.ts"

const guide = fs.readFileSync(path.resolve(import.meta.dir, "../../../docs/http.md"), "utf8")
const examples = [...guide.matchAll(/```sh\n(curl [^\n]*)\n```/g)].map((found) => found[1] ?? "")

const routes = () => {
  const found: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`)
    }
  })
  return found.sort()
}

/** What the run must be doing for the route to have something to do. */
const promptOf = (command: string): string => (/\/(steer|cancel)\b/.test(command) ? "hang" : "wait")

describe("docs/http.md", () => {
  test("lists every route, and no other", () => {
    const listed = [...guide.matchAll(/^\| `([A-Z]+ \/[^`]*)` \|/gm)].map((found) => found[1] ?? "")
    expect([...listed].sort()).toEqual(routes())
  })

  test("lists every code of an error beside its status, and no other", () => {
    const rows = [...guide.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)]
    const listed = rows.flatMap(([, status, cells = ""]) =>
      [...cells.matchAll(/`([a-z]+_?[a-z_]*)`/g)].map((found) => [found[1], Number(status)] as const)
    )
    expect(Object.fromEntries(listed)).toEqual(statusOf)
  })

  test("has an example of every route", () => {
    const shown = examples.map((command) => {
      const address = /http:[^\s'"?]*/.exec(command)?.[0] ?? ""
      const method = /-d |-X POST/.test(command) ? "POST" : "GET"
      return `${method} ${new URL(address).pathname.replace("$RUN", "{id}")}`
    })
    expect([...new Set(shown)].sort()).toEqual(routes())
  })

  test.skipIf(Bun.which("curl") === null).each(examples)("%s", (command) =>
    listening(async (url, { send }) => {
      const home = fs.mkdtempSync(path.join(os.tmpdir(), "cow-guide-"))
      try {
        const response = await send("POST", "/api/runs", { prompt: promptOf(command) })
        const run =
          promptOf(command) === "hang"
            ? JSON.parse(new TextDecoder().decode((await response.body?.getReader().read())?.value))
            : (await linesOf(response))[0]
        const child = Bun.spawn(["sh", "-c", command.replace("http://127.0.0.1:4747", url)], {
          env: { PATH: process.env.PATH ?? "", HOME: home, RUN: String(run.run_id) },
          stdout: "pipe",
          stderr: "pipe"
        })
        const output = await new Response(child.stdout).text()
        expect([await child.exited, output.startsWith('{"error":')]).toEqual([0, false])
        expect(output.length).toBeGreaterThan(2)
      } finally {
        fs.rmSync(home, { recursive: true, force: true })
      }
    })
  )
})
