/** Names of skills: how they are compared, which are refused, and which the open specification would not take. Pure. */
import * as InvisibleText from "../frontmatter/InvisibleText.ts"

export const maxNameChars = 64

/** NFKC, blanks around it gone, runs of blanks and line ends one blank: the form that is listed and compared. */
export const normalize = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ")

/** Names that would be a path or a property of every object. */
const refused = /[/\\\p{Cc}\p{Cs}]|^\.+$|^(?:__proto__|constructor|prototype)$/u

/** Why a normalised name can never be one, or undefined. The empty name is no name at all and not judged. */
export const refusal = (name: string): string | undefined => {
  if (refused.test(name))
    return `the name ${JSON.stringify(name)} is not allowed: it could be taken for a path or a property`
  return InvisibleText.isIn(name)
    ? `the name ${JSON.stringify(InvisibleText.named(name))} is not allowed: it holds characters that nobody sees`
    : undefined
}

/** What the open specification has against a name that loads all the same. */
export const doubts = (name: string): ReadonlyArray<string> => [
  ...([...name].length > maxNameChars ? [`the name is longer than ${maxNameChars} characters`] : []),
  ...(name !== name.toLowerCase() ? [`the name "${name}" should be lower case`] : [])
]
