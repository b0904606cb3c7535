/** What `cow serve` was started with. */
import type { Permission } from "@cow/core"
import * as Context from "effect/Context"

export interface ServerSettings {
  /** What the server listens on. Anything but a loopback address needs a token. */
  readonly host: string
  readonly port: number
  /** The bearer token that every request must carry. Absent: none. */
  readonly token?: string
  /** `provider/model`, for runs that name none. */
  readonly defaultModelId: string
  /** The mode of runs that name none, and the most a request may ask for. */
  readonly maxPermission: Permission.PermissionMode
  /** Absolute path. */
  readonly workspace: string
  readonly maxSteps: number
  /** Cow's own. */
  readonly version: string
}

/** The settings, for those who answer requests. */
export class CurrentSettings extends Context.Service<CurrentSettings, ServerSettings>()(
  "@cow/server/CurrentSettings"
) {}
