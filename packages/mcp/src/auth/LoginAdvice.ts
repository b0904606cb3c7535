/** What to do about a server that asks for a login or denies access, in one line. Pure. */
import type { Obstacle } from "./Authorizer.ts"

const setHeader = 'set a header for it, such as "Authorization", in mcp.json'

export interface Refusal {
  /** Its name in the configuration. */
  readonly server: string
  readonly status: number
  /** What was shown to it: a header of its entry, a stored login, or nothing. */
  readonly shown: "header" | "login" | "nothing"
  /** Absent: the entry brings its own header, or nothing was tried. */
  readonly obstacle: Obstacle | undefined
  /** A person has just tried: there is nothing more to advise. */
  readonly attended: boolean
}

const denied = ({ server, shown }: Refusal): string => {
  const asked = "ask its owner for access"
  switch (shown) {
    case "header":
      return `the server denies access (HTTP 403) to the "Authorization" header that mcp.json sets: correct it, or ${asked}`
    case "login":
      return `the server denies access (HTTP 403) to the stored login: run cow mcp login ${server} as somebody who may use it, or ${asked}`
    case "nothing":
      return `the server denies access (HTTP 403): ${setHeader}, or ${asked}`
  }
}

export const of = (refusal: Refusal): string => {
  const { attended, obstacle, server, status } = refusal
  if (status === 403 && obstacle === undefined) return denied(refusal)
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
