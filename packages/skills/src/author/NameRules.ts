/**
 * The names that the open Agent Skills specification takes: what is wrong with one, and the nearest that is right. A
 * folder of that name is made by `skill new` and by installing, so both take no other. Pure.
 *
 * Loading is lenient and takes more (`SkillName`).
 */
import { maxNameChars } from "../manifest/SkillName.ts"

const size = (text: string): number => [...text].length

/** What is wrong with a name by itself. `value`: as it was parsed. */
export const nameProblems = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "string" || value.trim() === "") return ["the name is empty or no text"]
  const name = value.trim().normalize("NFKC")
  return [
    ...(size(name) > maxNameChars
      ? [`the name has ${size(name)} characters; at most ${maxNameChars} are allowed`]
      : []),
    ...(name !== name.toLowerCase() ? [`the name "${name}" must be lower case`] : []),
    ...(/^-|-$/.test(name) ? ["the name must not begin or end with a hyphen"] : []),
    ...(name.includes("--") ? ["the name must not hold two hyphens in a row"] : []),
    ...(/[^\p{L}\p{N}-]/u.test(name) ? [`the name "${name}" may hold only letters, digits and hyphens`] : [])
  ]
}

/** The nearest name that has no problem; undefined where nothing of it is left. */
export const nearestName = (name: string): string | undefined => {
  const words = name
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
  const near = [...words.join("-")].slice(0, maxNameChars).join("").replace(/-$/, "")
  return nameProblems(near).length === 0 ? near : undefined
}

/** The problems, and behind them a name that would do. */
export const nameAdvice = (value: unknown): ReadonlyArray<string> => {
  const problems = nameProblems(value)
  const near = problems.length > 0 && typeof value === "string" ? nearestName(value) : undefined
  return near === undefined ? problems : [...problems, `"${near}" would be allowed`]
}
