import { describe, expect, test } from "bun:test"
import { SchemaValidatorAjv } from "@cow/agent"
import { type Message, SchemaValidator } from "@cow/core"
import * as Effect from "effect/Effect"
import { Api } from "../src/Api.ts"
import * as ApiDocument from "../src/ApiDocument.ts"
import { linesOf, withHandler } from "./ServerTest.ts"

interface Media {
  readonly schema: Message.JsonObject
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{ name: string; in: string; required: boolean; schema: object }>
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, Media> }
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, Media> }
  >
}
interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Message.JsonObject> }
}

const document = JSON.parse(JSON.stringify(ApiDocument.make(Api, "1.2.3"))) as Document

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation }))
)

/** Every object in a tree, with the way to it. */
const objects = (value: unknown, way = ""): ReadonlyArray<readonly [string, Record<string, unknown>]> => {
  if (typeof value !== "object" || value === null) return []
  const below = Object.entries(value).flatMap(([key, one]) => objects(one, `${way}/${key}`))
  return Array.isArray(value) ? below : [[way, value as Record<string, unknown>], ...below]
}

/** What is wrong with a value by a schema of the document. */
const faults = (schema: Message.JsonObject, value: unknown): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const { compile } = yield* SchemaValidator
    const validate = yield* compile({ ...schema, components: document.components } as Message.JsonObject)
    return validate(value)
  }).pipe(Effect.provide(SchemaValidatorAjv.layer), Effect.runPromise)

const bodyOf = ({ requestBody }: Operation) => requestBody?.content["application/json"]?.schema

const answerOf = (path: string, method: string, status: number, type = "application/json") => {
  const schema = document.paths[path]?.[method]?.responses[status]?.content?.[type]?.schema
  if (schema === undefined) throw new Error(`${method} ${path} has no ${status} of ${type}`)
  return schema
}

describe("the OpenAPI document", () => {
  test("is OpenAPI 3.1 with Cow's version, and needs the token or nothing", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Cow", version: "1.2.3" },
      security: [{ token: [] }, {}],
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } }
    })
    expect(objects(document.paths).filter(([, one]) => "security" in one)).toEqual([])
  })

  test("every reference is there, and every schema compiles", async () => {
    const references = objects(document).flatMap(([, one]) =>
      typeof one.$ref === "string" ? [one.$ref] : []
    )
    expect(references.length).toBeGreaterThan(3)
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(references.filter((reference) => !known.includes(reference))).toEqual([])
    for (const [way, one] of objects(document))
      if (way.endsWith("/schema")) expect(await faults(one as Message.JsonObject, null)).toBeArray()
  })

  test("every operation has a name of its own, a summary, a group and the parameters of its path", () => {
    expect(operations.length).toBeGreaterThan(7)
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    const groups = document.tags.map(({ name }) => name)
    for (const { operation, path } of operations) {
      expect(operation.summary).toBeString()
      expect(groups).toEqual(expect.arrayContaining([...operation.tags]))
      const inPath = operation.parameters.filter((one) => one.in === "path")
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual([...(path.match(/\{\w+\}/g) ?? [])])
      expect(inPath.every(({ required }) => required)).toBe(true)
    }
  })

  test("every operation lists its success, the errors of every route, and those of a body where it takes one", () => {
    for (const { name, operation } of operations) {
      const statuses = Object.keys(operation.responses)
      expect([name, statuses.filter((status) => status < "300").length]).toEqual([name, 1])
      expect(statuses).toEqual(expect.arrayContaining(["400", "401", "403", "500"]))
      const ofBody = statuses.filter((status) => ["413", "415"].includes(status))
      expect([name, ofBody]).toEqual([name, operation.requestBody === undefined ? [] : ["413", "415"]])
      for (const { content, description } of Object.values(operation.responses)) {
        expect(description).not.toBe("")
        expect(Object.keys(content ?? {}).length).toBeGreaterThan(0)
      }
    }
  })

  test("bodies of requests are closed, answers are open", () => {
    for (const { name, operation } of operations)
      for (const [way, one] of objects(bodyOf(operation))) {
        expect([name, way, one.$ref]).toEqual([name, way, undefined])
        if (one.type === "object") expect([name, way, one.additionalProperties]).toEqual([name, way, false])
      }
    const answers = [...operations.map(({ operation }) => operation.responses), document.components.schemas]
    expect(objects(answers).filter(([, one]) => one.additionalProperties === false)).toEqual([])
  })

  test("what the document refuses of a body, the server refuses, and what it allows is no wrong shape", () =>
    withHandler(async ({ send }) => {
      const bodies: Record<string, ReadonlyArray<unknown>> = {
        "/api/runs": [
          { prompt: "hello" },
          { prompt: "hello", permission: "read-only", persona: "p1", model: "offline/cow" },
          {},
          { prompt: 1 },
          { prompt: "" },
          { prompt: " \n" },
          { prompt: "hello", perssona: "p1" },
          { prompt: "hello", permission: "some" },
          { prompt: "hello", session: null },
          [],
          null,
          "hello"
        ],
        "/api/runs/r-1/approval": [{ approved: true }, {}, { approved: "yes" }, { approved: true, more: 1 }],
        "/api/runs/r-1/steer": [{ text: "left" }, {}, { text: "" }, { text: "left", more: 1 }]
      }
      let refused = 0
      for (const [path, values] of Object.entries(bodies)) {
        const schema = bodyOf(document.paths[path.replace("r-1", "{id}")]?.post as Operation)
        for (const value of values) {
          const wrong = (await faults(schema as Message.JsonObject, value)).length > 0
          const { status } = await send("POST", path, JSON.stringify(value))
          expect([path, value, status === 422]).toEqual([path, value, wrong])
          if (wrong) refused++
        }
      }
      expect(refused).toBe(16)
    }))

  test("its examples are taken", async () => {
    const examples = operations.flatMap(({ operation }) => {
      const schema = bodyOf(operation)
      return ((schema?.examples ?? []) as ReadonlyArray<unknown>).map((example) => ({ schema, example }))
    })
    expect(examples).toHaveLength(3)
    for (const { example, schema } of examples)
      expect(await faults(schema as Message.JsonObject, example)).toEqual([])
  })

  test("what the server answers is what the document says", () =>
    withHandler(async ({ send }) => {
      const check = async (path: string, method: string, response: Promise<Response>) => {
        const answer = await response
        const schema = answerOf(path, method, answer.status)
        expect([path, answer.status, await faults(schema, await answer.json())]).toEqual([
          path,
          answer.status,
          []
        ])
      }
      const events = await linesOf(await send("POST", "/api/runs", { prompt: "wait" }))
      const line = answerOf("/api/runs", "post", 200, "application/x-ndjson")
      for (const event of events) expect(await faults(line, event)).toEqual([])
      await check("/healthz", "get", send("GET", "/healthz"))
      await check("/openapi.json", "get", send("GET", "/openapi.json"))
      await check("/api/runs/{id}", "get", send("GET", "/api/runs/r-1"))
      await check("/api/runs/{id}", "get", send("GET", "/api/runs/none"))
      await check("/api/runs/{id}/events", "get", send("GET", "/api/runs/r-1/events"))
      await check("/api/runs/{id}/events", "get", send("GET", "/api/runs/r-1/events?after_sequence=x"))
      await check(
        "/api/runs/{id}/approval",
        "post",
        send("POST", "/api/runs/r-1/approval", { approved: true })
      )
      await check(
        "/api/runs/{id}/approval",
        "post",
        send("POST", "/api/runs/r-1/approval", { approved: true })
      )
      await check("/api/runs/{id}/steer", "post", send("POST", "/api/runs/r-1/steer", { text: "left" }))
      await check("/api/runs/{id}/cancel", "post", send("POST", "/api/runs/r-1/cancel"))
      await check("/api/runs/{id}/steer", "post", send("POST", "/api/runs/r-1/steer", { text: "left" }))
      await check("/api/runs", "get", send("GET", "/api/runs"))
      await check("/api/runs", "get", send("GET", "/api/runs?limit=0"))
      await check("/api/runs", "post", send("POST", "/api/runs", { prompt: "busy" }))
      await check("/api/runs", "post", send("POST", "/api/runs", "{"))
      await check("/api/runs", "post", send("POST", "/api/runs", {}, { host: "a@b" }))
      await check("/api/runs", "post", send("POST", "/api/runs", {}, { host: "a" }))
    }))
})
