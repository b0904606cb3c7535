/** The platform Cow runs on: the one file that names it. Files, paths, processes, standard streams. */
import * as NodeServices from "@effect/platform-node/NodeServices"

export type Platform = NodeServices.NodeServices
export const layer = NodeServices.layer
