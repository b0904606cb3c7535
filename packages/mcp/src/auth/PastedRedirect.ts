/** What a person pastes who logs in with a browser elsewhere: the address it ended at, or only the code. Pure. */
import * as Result from "effect/Result"

/**
 * @param state of the login under way: an address must bring it, a bare code stands for it
 * @returns fails with what is wrong with the text
 */
export const parse = (text: string, state: string): Result.Result<URLSearchParams, string> => {
  const pasted = text.trim()
  if (pasted === "") return Result.fail("nothing was pasted")
  const query = URL.canParse(pasted) ? new URL(pasted).searchParams : undefined
  if (query !== undefined)
    return query.has("code") || query.has("error")
      ? Result.succeed(query)
      : Result.fail("the address holds no code: paste the one that the browser ended at")
  if (/\s/.test(pasted)) return Result.fail("this is no address and no code")
  return /^\??[\w-]+=/.test(pasted) && pasted.includes("code=")
    ? Result.succeed(new URLSearchParams(pasted))
    : Result.succeed(new URLSearchParams({ code: pasted, state }))
}
