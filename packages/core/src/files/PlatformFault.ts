/**
 * Why the platform refused to do something with a file, in words for people. Pure. Which file it was, and what that
 * means, is for the caller to say.
 */
import type { PlatformError } from "effect/PlatformError"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EEXIST: "it exists already",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is a file, not a folder",
  ELOOP: "the link leads back to itself",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the name is too long"
}

/** The system's own code of the failure, where it gave one: `ENOENT`. */
export const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** In a few words, as they stand behind a path: `permission denied`. */
export const describe = (error: PlatformError): string => {
  const code = codeOf("cause" in error.reason ? error.reason.cause : undefined)
  return (code === undefined ? undefined : (reasons[code] ?? code)) ?? error.reason.message
}

/** Of a failure that came without an error of the platform. */
export const describeCode = (code: string): string => reasons[code] ?? code
