/** Opens an address in the user's browser, where there is one. A login goes on without it: the address is printed. */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { Environment } from "../settings/Environment.ts"

/** `&` would end the command of `start`. */
const forStart = (url: URL): string => url.href.replaceAll("&", "^&")

const commandFor = (platform: string, url: URL): readonly [string, ReadonlyArray<string>] => {
  if (platform === "darwin") return ["open", [url.href]]
  if (platform === "win32") return ["cmd", ["/c", "start", "", forStart(url)]]
  return ["xdg-open", [url.href]]
}

/** True when a browser was asked. */
export const open = Effect.fnUntraced(function* (url: URL) {
  const { platform, variables } = yield* Environment
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  // Without a screen `xdg-open` may start a browser in the terminal.
  if (platform === "linux" && !variables.DISPLAY && !variables.WAYLAND_DISPLAY) return false
  const [command, args] = commandFor(platform, url)
  return yield* spawner
    .exitCode(ChildProcess.make(command, args, { stdin: "ignore", stdout: "ignore", stderr: "ignore" }))
    .pipe(
      Effect.map((code) => code === 0),
      Effect.timeoutOrElse({ duration: "3 seconds", orElse: () => Effect.succeed(true) }),
      Effect.catch((error) => Effect.as(Effect.logDebug(`${command} cannot be started`, error), false))
    )
})
