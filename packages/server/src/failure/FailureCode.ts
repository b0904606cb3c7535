/** The codes of errors and the status each is answered with. One status can have several codes, a code has one status. */
export const statusOf = {
  bad_host: 400,
  bad_json: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  not_found: 404,
  persona_not_found: 404,
  run_not_found: 404,
  session_not_found: 404,
  method_not_allowed: 405,
  invalid_approval: 409,
  run_not_active: 409,
  run_terminal: 409,
  session_busy: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_body: 422,
  invalid_query: 422,
  internal: 500
} as const

export type FailureCode = keyof typeof statusOf

/** What any route can answer, by the checks before it and by a fault of the server's own. */
export const ofEveryRoute = ["bad_host", "unauthorized", "forbidden_origin", "internal"] as const

/** What a route with a body can answer before it is asked. */
export const ofBody = ["bad_json", "body_too_large", "unsupported_media_type", "invalid_body"] as const
