/**
 * What a skill's `metadata` says of when it can be used: decoded leniently, every doubt reported, nothing thrown.
 *
 * Pure. Whether the requirements are met on this machine is `SkillRequirements`.
 */
import {
  asNode,
  at,
  first as firstIn,
  isNode,
  keysBelow,
  type Node,
  namespacesIn
} from "../frontmatter/MetadataLookup.ts"

export const needs = ["bins", "anyBins", "env", "anyEnv"] as const
export type Need = (typeof needs)[number]
/** Names by need: programs that must all be there, of which one must be, and the same for variables. */
export type Needs = Readonly<Record<Need, ReadonlyArray<string>>>

export const noNeeds: Needs = { bins: [], anyBins: [], env: [], anyEnv: [] }

export interface InstallHint {
  readonly kind: string
  /** Its other text fields, such as `formula`, `package`, `label`. */
  readonly fields: Readonly<Record<string, string>>
}

export interface SkillMetadata {
  /** Lifts the four needs, never the platform. */
  readonly always: boolean
  /** Of the first scan; later the user's switch counts. */
  readonly defaultEnabled: boolean
  /** `linux`, `darwin`, `win32`, …; empty: every one. */
  readonly os: ReadonlyArray<string>
  readonly requires: Needs
  readonly primaryEnv: string | null
  readonly emoji: string | null
  /** Told to people; nothing is ever installed by loading. */
  readonly install: ReadonlyArray<InstallHint>
}

export const none: SkillMetadata = {
  always: false,
  defaultEnabled: true,
  os: [],
  requires: noNeeds,
  primaryEnv: null,
  emoji: null,
  install: []
}

/** True for `true`, `yes`, `on`, `1` in any case, as a text or not. */
export const isOn = (value: unknown): boolean =>
  ["true", "yes", "on", "1"].includes(String(value).trim().toLowerCase())

const isScalar = (value: unknown): value is string | number =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

const text = (value: unknown): string | null => (isScalar(value) ? String(value).trim() || null : null)

/** Names of a list, or of a text parted by commas and blanks; undefined for anything else. */
const names = (value: unknown): ReadonlyArray<string> | undefined => {
  const items = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : undefined
  return items && [...new Set(items.flatMap((item: unknown) => text(item) ?? []))]
}

const aliases: Readonly<Record<string, string>> = {
  macos: "darwin",
  mac: "darwin",
  osx: "darwin",
  windows: "win32",
  win: "win32"
}

const platform = (word: string): string => {
  const lower = word.toLowerCase()
  return Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower
}

const installHints = (value: unknown): ReadonlyArray<InstallHint> =>
  (Array.isArray(value) ? value : []).flatMap((entry: unknown) => {
    if (!isNode(entry)) return []
    const kind = (text(entry.kind) ?? text(entry.type))?.toLowerCase()
    if (kind === undefined) return []
    const fields = Object.entries(entry).flatMap(([key, field]): ReadonlyArray<[string, string]> => {
      const value = key === "kind" || key === "type" ? null : text(field)
      return value === null ? [] : [[key, value]]
    })
    return [{ kind, fields: Object.fromEntries(fields) }]
  })

/** Of a `metadata` value as it was parsed, absent ones included; `warn` is told each doubt. */
export const decode = (value: unknown, warn: (message: string) => void): SkillMetadata => {
  if (value === undefined || value === null) return none
  const metadata = asNode(value)
  if (metadata === undefined) {
    warn("metadata is neither a map nor JSON of one and is not read")
    return none
  }
  const namespaces = namespacesIn(metadata)
  const first = (path: ReadonlyArray<string>): unknown => firstIn(metadata, path, namespaces)
  for (const namespace of namespaces) checkShape(metadata, namespace, warn)
  for (const key of keysBelow(metadata, "requires"))
    if (!(needs as ReadonlyArray<string>).includes(key))
      warn(`metadata: requires.${key} is not known and ignored`)
  const list = (path: ReadonlyArray<string>): ReadonlyArray<string> => {
    const found = first(path)
    const decoded = found === undefined ? [] : names(found)
    if (decoded === undefined) warn(`metadata: ${path.join(".")} is no list of names and counts as empty`)
    return decoded ?? []
  }
  const [bins, anyBins, env, anyEnv] = needs.map((need) => list(["requires", need]))
  const enabled = first(["default_enabled"])
  return {
    always: isOn(first(["always"])),
    defaultEnabled: enabled === undefined || isOn(enabled),
    os: [...new Set(list(["os"]).map(platform))],
    requires: { bins: bins ?? [], anyBins: anyBins ?? [], env: env ?? [], anyEnv: anyEnv ?? [] },
    primaryEnv: text(first(["primaryEnv"])),
    emoji: text(first(["emoji"])),
    install: installHints(first(["install"]))
  }
}

/** A namespace that is no map and `requires` that is none: their requirements cannot be known. */
const checkShape = (
  metadata: Node,
  namespace: ReadonlyArray<string>,
  warn: (message: string) => void
): void => {
  for (const path of namespace.length === 0 ? [["requires"]] : [namespace, [...namespace, "requires"]]) {
    const found = at(metadata, path)
    if (found !== undefined && asNode(found) === undefined)
      warn(`metadata: ${path.join(".")} is no map and counts as empty`)
  }
}
