/**
 * Which methods a path has: what a router of endpoints does not tell apart, a path that is not there and a method
 * that it does not take. Matches as the router does.
 */
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpFailure from "../failure/HttpFailure.ts"

/** Paths are taken as they are written. */
export const routing: Partial<FindMyWay.RouterConfig> = { ...FindMyWay.strictConfig, maxParamLength: 4096 }

export interface Missed {
  readonly failure: HttpFailure.HttpFailure
  /** The methods the path has, for a 405. */
  readonly allow?: string
}

/** No path has a part without a name, whatever the router takes for one. */
export const hasEmptyPart = (url: string): boolean => /\/(\/|$)/.test(url.replace(/[?#].*$/s, ""))

/** Says why no endpoint was found for a request. */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const table = FindMyWay.make<null>(routing)
  const methods = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      methods.add(method)
      table.on(method, path as FindMyWay.PathInput, null)
    }
  })
  return (url: string): Missed => {
    const allow = hasEmptyPart(url)
      ? ""
      : [...methods]
          .sort()
          .filter((method) => table.find(method, url) !== undefined)
          .join(", ")
    return allow === ""
      ? { failure: HttpFailure.notFound("there is nothing at this path; see /openapi.json") }
      : { failure: HttpFailure.methodNotAllowed(`this path takes ${allow}`), allow }
  }
}
