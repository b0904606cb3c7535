/** A new skill to be filled in: its text, and the one write that claims its name. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type InstallRefused, refuse } from "../install/InstallRefused.ts"
import { nameAdvice } from "./NameRules.ts"
import { descriptionProblems } from "./SkillValidation.ts"

export const defaultDescription = "Says in one sentence what this skill does. Use when the user asks for it."

/** Passes the strict validation, whatever the description. */
export const text = (name: string, description: string): string => {
  const title = name.replaceAll("-", " ")
  // A JSON string is a YAML string in double quotes.
  return `---
name: ${JSON.stringify(name)}
description: ${JSON.stringify(description)}
---

# ${title.slice(0, 1).toUpperCase()}${title.slice(1)}

## Steps

1. The first thing to do, and with which tool.
2. The next thing.

## Check

How to see that it worked, and what to do when it did not.
`
}

/** Gives the path of the new `SKILL.md`. Fails, with nothing written, on a bad name or where the folder exists. */
export const create = Effect.fn("SkillSkeleton.create")(function* (
  root: string,
  name: string,
  description: string
): Effect.fn.Return<string, InstallRefused, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const said = description.trim().replace(/\s+/g, " ")
  const normal = name.normalize("NFKC")
  const problems = [
    ...(normal === normal.trim() ? nameAdvice(normal) : ["the name has blanks around it"]),
    ...descriptionProblems(said)
  ]
  if (problems.length > 0) return yield* refuse("invalid_skill", problems.join("; "))
  const folder = path.join(root, normal)
  const file = path.join(folder, "SKILL.md")
  const staging = path.join(root, `.new-skill-${crypto.randomUUID()}`)
  yield* Effect.gen(function* () {
    yield* fs.makeDirectory(root, { recursive: true })
    yield* fs.writeFileString(staging, text(normal, said))
    // Making the folder claims the name: it fails where another process was faster.
    yield* fs
      .makeDirectory(folder)
      .pipe(
        Effect.catchTag("PlatformError", (cause) =>
          Effect.fail(
            cause.reason._tag === "AlreadyExists" ? refuse("skill_exists", `${folder} exists already`) : cause
          )
        )
      )
    yield* fs
      .rename(staging, file)
      .pipe(Effect.onError(() => Effect.ignore(fs.remove(folder, { recursive: true }))))
  }).pipe(
    Effect.ensuring(Effect.ignore(fs.remove(staging, { force: true }))),
    Effect.catchTag("PlatformError", (cause) =>
      Effect.fail(refuse("unwritable", `${file} cannot be written (${cause.reason._tag})`))
    )
  )
  return file
})
