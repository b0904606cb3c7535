/** The file `skills-lock.json` in the user's folder of skills. What is in it is `SkillLock`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as LockedFile from "../switches/LockedFile.ts"
import { refuse } from "./InstallRefused.ts"
import { decode, encode, type SkillLock } from "./SkillLock.ts"

export const fileName = "skills-lock.json"

/** @param file absolute path */
export const make = Effect.fnUntraced(function* (file: string) {
  const { locked, read, write } = yield* LockedFile.make(file, "the lock file")
  const load = read.pipe(
    Effect.mapError(({ message }) => refuse("unwritable", message)),
    Effect.flatMap((text) => Effect.fromResult(decode(Option.getOrElse(text, () => "")))),
    Effect.mapError((error) =>
      "code" in error ? error : refuse("unwritable", `${file} is no lock file of Cow: ${error.message}`)
    )
  )
  return {
    /** Fails when the file is there and is no lock of this version: what was installed must not be forgotten. */
    read: load,
    update: (change: (lock: SkillLock) => SkillLock) =>
      locked(
        Effect.gen(function* () {
          const before = yield* load
          const next = encode(change(before))
          if (next !== encode(before)) yield* write(next)
        })
      ).pipe(Effect.mapError((error) => ("code" in error ? error : refuse("unwritable", error.message))))
  }
})
