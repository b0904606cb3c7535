/**
 * The HTTP API as data: every group of endpoints, what they take and what they answer. It decodes requests, encodes
 * answers and is described by `ApiDocument`. Each group has a folder: its endpoints, its handlers.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { RequestGuard } from "./request/RequestGuard.ts"
import { RunsGroup } from "./runs/RunsGroup.ts"
import { ServiceGroup } from "./service/ServiceGroup.ts"

/** A field that is not known is refused, where fields are read at all, and all that is wrong is said at once. */
const strict = { onExcessProperty: "error", errors: "all" } as const

export const Api = HttpApi.make("cow")
  .add(RunsGroup)
  .add(ServiceGroup)
  .middleware(RequestGuard)
  .annotate(OpenApi.Title, "Cow")
  .annotate(HttpApi.PayloadParseOptions, strict)
  .annotate(HttpApi.QueryParseOptions, strict)
