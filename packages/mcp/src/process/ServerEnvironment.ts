/** Which of the agent's variables a stdio server inherits. Pure. The server's own `env` comes on top and wins. */

const inherited = new Set([
  "HOME",
  "LANG",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  // Proxies, as curl and most runtimes read them, in both spellings.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  // Certificate authorities.
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE"
])
const proxies = new Set(["http_proxy", "https_proxy", "all_proxy", "no_proxy"])

export const isInherited = (name: string): boolean =>
  inherited.has(name) || proxies.has(name) || name.startsWith("LC_") || name.startsWith("XDG_")

/** The whole environment of a server's process. Exported shell functions are not passed on. */
export const make = (
  agent: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>
): Record<string, string> => {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(agent))
    if (value !== undefined && isInherited(name) && !value.startsWith("() {")) out[name] = value
  return { ...out, ...own }
}
