/** The platform Cow runs on: the one file that names it. Files, paths, processes, standard streams. */
import * as BunServices from "@effect/platform-bun/BunServices"

export type Platform = BunServices.BunServices
export const layer = BunServices.layer
