/** The OpenAPI 3.1 document of the routes. Pure; bodies come from the very schemas that requests are decoded by. */
import * as Schema from "effect/Schema"
import type { Route } from "./Route.ts"

/** Codes that any route can give, by the order of checks. */
const everywhere: Readonly<Record<number, ReadonlyArray<string>>> = {
  401: ["unauthorized"],
  403: ["forbidden_origin"],
  500: ["internal"]
}
const withBody: Readonly<Record<number, ReadonlyArray<string>>> = {
  400: ["bad_json"],
  413: ["body_too_large"],
  422: ["invalid_body"]
}

const failure = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } }
    }
  }
}

const failures = (route: Route) => {
  const byStatus = new Map<number, Set<string>>()
  for (const codes of [everywhere, route.body === undefined ? {} : withBody, route.errors])
    for (const [status, names] of Object.entries(codes))
      byStatus.set(Number(status), new Set([...(byStatus.get(Number(status)) ?? []), ...names]))
  return [...byStatus]
    .sort(([left], [right]) => left - right)
    .map(([status, codes]) => [
      String(status),
      {
        description: [...codes].map((code) => `\`${code}\``).join(", "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }
      }
    ])
}

const parameters = (route: Route) => [
  ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" }
  })),
  ...Object.entries(route.query ?? {}).map(([name, description]) => ({
    name,
    in: "query",
    required: false,
    description,
    schema: { type: "string" }
  }))
]

const answer = ({ ok }: Route) => ({
  description: ok.description,
  content: Object.fromEntries((ok.contentTypes ?? ["application/json"]).map((type) => [type, {}]))
})

const operation = (route: Route) => ({
  summary: route.summary,
  parameters: parameters(route),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: Schema.toJsonSchemaDocument(route.body).schema }
          }
        }
      }),
  responses: Object.fromEntries([[String(route.ok.status), answer(route)], ...failures(route)])
})

export const make = (routes: ReadonlyArray<Route>, version: string) => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  return {
    openapi: "3.1.0",
    info: { title: "Cow", version },
    security: [{ token: [] }, {}],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: failure }
    }
  }
}
