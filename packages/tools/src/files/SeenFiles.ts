/**
 * Which content of a file a session saw last, so that a write over somebody else's change can be told. Only
 * digests are kept, and of the last files only.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Files remembered, all sessions together. */
const maxFiles = 4096

export class SeenFiles extends Context.Service<
  SeenFiles,
  {
    /** Remembers this content as what the session knows of the file. */
    readonly saw: (session: string, file: string, bytes: Uint8Array) => Effect.Effect<void>
    /** True when the session saw the file with other content than this. */
    readonly changed: (session: string, file: string, bytes: Uint8Array) => Effect.Effect<boolean>
  }
>()("@cow/tools/SeenFiles") {
  static readonly layer: Layer.Layer<SeenFiles> = Layer.sync(SeenFiles, () => {
    const digests = new Map<string, string>()
    const digest = (bytes: Uint8Array) =>
      Effect.map(
        Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
        (buffer) => String.fromCharCode(...new Uint8Array(buffer))
      )
    return SeenFiles.of({
      saw: (session, file, bytes) =>
        Effect.map(digest(bytes), (value) => {
          const key = `${session}\0${file}`
          digests.delete(key)
          digests.set(key, value)
          const [oldest] = digests.keys()
          if (digests.size > maxFiles && oldest !== undefined) digests.delete(oldest)
        }),
      changed: (session, file, bytes) => {
        const known = digests.get(`${session}\0${file}`)
        return known === undefined
          ? Effect.succeed(false)
          : Effect.map(digest(bytes), (value) => value !== known)
      }
    })
  })
}
