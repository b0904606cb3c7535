/**
 * The OpenAPI 3.1 document of an API. Bodies and answers come from the very schemas that requests are decoded and
 * answers encoded by; added is what holds for all: the token, and that answers may gain fields. Pure.
 */
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"

/**
 * A client must not stumble over a field that a later version adds: only bodies of requests are closed. Notes of the
 * generator's own are left out.
 */
const open = <A>(schema: A): A => {
  if (Array.isArray(schema)) return schema.map(open) as A
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) => !(key === "additionalProperties" && value === false) && key !== "x-effect-stream"
      )
      .map(([key, value]) => [key, open(value)])
  ) as A
}

/** The token stands once, for all: where the server has none, none is needed. */
const operation = ({ security: _, ...rest }: OpenApi.OpenAPISpecOperation) => ({
  ...rest,
  responses: open(rest.responses)
})

const methods = ["get", "post", "put", "patch", "delete"] as const

const pathItem = (item: OpenApi.OpenAPISpecPathItem) =>
  Object.fromEntries(
    methods.flatMap((method) => {
      const one = item[method]
      return one === undefined ? [] : [[method, operation(one)]]
    })
  )

/** @param version Cow's own */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  version: string
) => {
  const { components, info, openapi, paths, tags } = OpenApi.fromApi(api)
  return {
    openapi,
    info: { ...info, version },
    tags,
    security: [{ token: [] }, {}],
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, pathItem(item)])),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: open(components.schemas)
    }
  }
}
