/**
 * Notices that whoever read standard output has gone, before anything is written there: an answer that nobody reads
 * is not worked out. This is the layer for bun:ffi, node:fs and poll(2); where the system has none, the next write
 * tells.
 */
import { fstatSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const lookEvery = "250 millis"

const libraries: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib"
}

/** POLLERR or POLLHUP: the other end of the pipe is closed. */
const closed = 0x8 | 0x10

const isPipe = (): boolean => {
  try {
    return fstatSync(1).isFIFO()
  } catch {
    // Closed from the start: nobody was ever there to leave.
    return false
  }
}

/** Looks at the pipe without waiting. Fails where there is no such library. */
const watcher = Effect.fnUntraced(function* (library: string) {
  const { dlopen, FFIType, ptr } = yield* Effect.promise(() => import("bun:ffi"))
  const { symbols } = yield* Effect.try(() =>
    dlopen(library, {
      poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 }
    })
  )
  // struct pollfd: the descriptor, what is asked for, what there is.
  const entry = new DataView(new ArrayBuffer(8))
  return (): boolean => {
    entry.setInt32(0, 1, true)
    entry.setInt32(4, 0, true)
    return symbols.poll(ptr(entry.buffer), 1, 0) > 0 && (entry.getInt16(6, true) & closed) !== 0
  }
})

/** Ends when the reader has gone. What is over before the first look pays nothing. */
export const gone: Effect.Effect<void> = Effect.gen(function* () {
  const library = libraries[process.platform]
  if (library === undefined || !isPipe()) return yield* Effect.never
  yield* Effect.sleep(lookEvery)
  const isGone = yield* watcher(library)
  yield* Effect.repeat(Effect.sync(isGone), { until: (left) => left, schedule: Schedule.spaced(lookEvery) })
}).pipe(
  Effect.catch((error) =>
    Effect.andThen(Effect.logDebug("a reader that goes away will not be noticed", error), Effect.never)
  )
)
