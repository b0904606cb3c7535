/**
 * Hears of changes of files while they happen, so that nobody has to ask. A folder that cannot be watched is a
 * loss of speed only: whoever uses the files looks at them anyway.
 *
 * What is done about a change is handed in.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Editors write in several steps; a file is looked at when they have paused. */
const quietTime = "50 millis"
/** Watching has begun by then. */
const begunAfter = "1 second"
/** A folder that is not there yet, or that has gone, is tried again after this. */
const retryAfter = "5 seconds"

/** Runs `changed` after each change, and once when watching has begun, until the scope closes. */
export const start = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  files: ReadonlyArray<string>,
  changed: Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const real = yield* Effect.forEach(files, (file) => Effect.orElseSucceed(fs.realPath(file), () => file))
    const names = new Map<string, Set<string>>()
    for (const file of [...files, ...real]) {
      const folder = path.dirname(file)
      names.set(folder, (names.get(folder) ?? new Set()).add(path.basename(file)))
    }
    const ofFolder = ([folder, wanted]: readonly [string, ReadonlySet<string>]) =>
      fs.watch(folder).pipe(
        // By the folder, since most writers put a new file in the place of the old one.
        Stream.filter((event) => wanted.has(path.basename(event.path))),
        Stream.tapError((error) => Effect.logDebug(`${folder} is not watched: ${error.message}`))
      )
    // What changed between the first look and the moment from which a change is heard of.
    const lateLook = Stream.fromEffect(Effect.sleep(begunAfter))
    const once = Stream.mergeAll([...names].map(ofFolder), { concurrency: "unbounded" }).pipe(
      Stream.merge(lateLook),
      Stream.debounce(quietTime),
      Stream.runForEach(() => changed)
    )
    yield* Effect.forkScoped(
      Effect.andThen(changed, once).pipe(Effect.ignore, Effect.repeat(Schedule.spaced(retryAfter)))
    )
  })
