/** What an answer of a server asks of whoever is not let in: a login, or a wider scope. Pure. */

export interface AuthChallenge {
  readonly status: 401 | 403
  readonly scope: string | undefined
  readonly resourceMetadataUrl: URL | undefined
}

interface Params {
  readonly error?: string
  readonly scope?: string
  readonly resourceMetadataUrl?: URL
}

/**
 * A 403 counts where it is for want of scope, or where it says how to log in to somebody who has not: some servers mean
 * 401 by it.
 *
 * @param read the MCP client's reader of `WWW-Authenticate`
 */
export const of = (
  response: Response,
  read: (response: Response) => Params,
  hasLogin: boolean
): AuthChallenge | undefined => {
  const { status } = response
  if (status !== 401 && status !== 403) return undefined
  const { error, resourceMetadataUrl, scope } = read(response)
  if (status === 401 || error === "insufficient_scope") return { status, scope, resourceMetadataUrl }
  return hasLogin || resourceMetadataUrl === undefined
    ? undefined
    : { status: 401, scope, resourceMetadataUrl }
}

/** The answer as it stands. Without the challenge, which the MCP client would take up once more. */
export const settled = (response: Response): Response => {
  const headers = new Headers(response.headers)
  headers.delete("www-authenticate")
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
