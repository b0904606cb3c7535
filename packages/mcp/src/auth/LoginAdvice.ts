/** What to do about a server that asks for a login, in one line. Pure. */
import type { Obstacle } from "./Authorizer.ts"

const setHeader = 'set a header for it, such as "Authorization", in mcp.json'

/**
 * @param server its name in the configuration
 * @param obstacle absent: the entry brings its own header, or nothing was tried
 * @param attended a person has just tried: there is nothing more to advise
 */
export const of = (
  server: string,
  status: number,
  obstacle: Obstacle | undefined,
  attended: boolean
): string => {
  const asked = `the server asks for a login (HTTP ${status})`
  switch (obstacle?._tag) {
    case undefined:
      return `${asked}: ${setHeader}`
    case "NoLoginOffered":
      return `${asked} but offers none that can be done here (${obstacle.reason}): ${setHeader}`
    case "Refused":
      return attended ? obstacle.reason : `${asked}: ${obstacle.reason}; run cow mcp login ${server}`
    case "LoginNeeded":
      return `${asked}: run cow mcp login ${server} (${obstacle.url})`
  }
}
