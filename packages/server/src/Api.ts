/**
 * The HTTP API as data: every group of endpoints, what they take and what they answer. It decodes requests, encodes
 * answers and is described by `ApiDocument`. Each group has a folder: its endpoints, its handlers.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { RequestGuard } from "./request/RequestGuard.ts"
import { RunsGroup } from "./runs/RunsGroup.ts"
import { ServiceGroup } from "./service/ServiceGroup.ts"

export const Api = HttpApi.make("cow")
  .add(RunsGroup)
  .add(ServiceGroup)
  .middleware(RequestGuard)
  .annotate(OpenApi.Title, "Cow")
  // Fields of a body that are not known are refused, and all that is wrong is said at once.
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error", errors: "all" })
