/**
 * The one parser of frontmatter: loading, installing and validating a skill all read it here.
 *
 * gray-matter splits, `yaml` parses; gray-matter's engines for other languages are taken out and its cache is never
 * used. What the values mean is `SkillManifest`; where the fences are, `FrontmatterFence`; a short cut for blocks without
 * any YAML beyond `key: value`, `PlainFrontmatter`.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Yaml from "yaml"
import * as FrontmatterExcess from "./FrontmatterExcess.ts"
import { FrontmatterInvalid, split } from "./FrontmatterFence.ts"
import { quoteValue } from "./FrontmatterRepair.ts"
import * as LooseSigns from "./LooseSigns.ts"
import * as PlainFrontmatter from "./PlainFrontmatter.ts"
import * as UnquotedText from "./UnquotedText.ts"

/** Something that was mended or taken with a doubt. A strict reader counts it as an error, unless it is readable. */
export interface FrontmatterNote {
  /** In the file, from 1. */
  readonly line: number
  readonly message: string
  /** It is YAML all the same: a strict reader warns. */
  readonly readable?: true
}

export interface Frontmatter {
  /**
   * Strings, nulls, lists and maps; numbers and booleans only below `metadata`, everywhere else they are the text
   * they were written as.
   */
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
  readonly notes: ReadonlyArray<FrontmatterNote>
}

interface Values {
  readonly data: unknown
  readonly notes: ReadonlyArray<FrontmatterNote>
}

/** Loaded at the first file that needs them, so that a process without such skills pays nothing. */
const load = Effect.promise(async () => {
  const [{ default: matter }, yaml] = await Promise.all([import("gray-matter"), import("yaml")])
  const { engines } = matter as unknown as { readonly engines: Record<string, unknown> }
  for (const name of Object.keys(engines)) if (name !== "yaml") delete engines[name]
  return { matter, yaml }
})

/** Reads the frontmatter of a whole file. Fails with the reason and line; nothing of the text is ever evaluated. */
export const parse = Effect.fnUntraced(function* (
  text: string
): Effect.fn.Return<Frontmatter, FrontmatterInvalid> {
  const { block, body } = yield* Effect.fromResult(split(text))
  const plain = PlainFrontmatter.parse(block)
  if (plain !== undefined) return { data: plain, body, notes: [] }
  return yield* parseYaml(block, body)
})

/** The general way, for every block. */
export const parseYaml = Effect.fnUntraced(function* (
  block: string,
  body: string
): Effect.fn.Return<Frontmatter, FrontmatterInvalid> {
  const excess = FrontmatterExcess.find(block)
  if (excess !== undefined) return yield* unreadableError(excess.line, excess.message)
  const { matter, yaml } = yield* load
  let values: Result.Result<Values, FrontmatterInvalid> = Result.succeed({ data: {}, notes: [] })
  const read = (source: string): object => {
    // gray-matter hands over the line end of the opening fence as well: lines count from the file's first.
    values = readBlock(yaml, source)
    return {}
  }
  matter(`---\n${block}\n---\n`, { delimiters: ["---", "---\n"], engines: { yaml: read } })
  const { data, notes } = yield* Effect.fromResult(values)
  if (data !== null && (typeof data !== "object" || Array.isArray(data)))
    return yield* new FrontmatterInvalid({
      reason: "no_map",
      line: 2,
      message: "the frontmatter is no map of keys and values"
    })
  return { data: { ...data }, body, notes }
})

/** As many lines as may be mended in one block; each costs a parse, and with far more errors it is not tried. */
const maxRepairs = 8

const readBlock = (yaml: typeof Yaml, source: string): Result.Result<Values, FrontmatterInvalid> => {
  const quoted = UnquotedText.quote(yaml, source.split("\n"))
  const notes: Array<FrontmatterNote> = quoted.mended.map(({ line, message, readable }) => ({
    line,
    message,
    ...(readable ? { readable } : {})
  }))
  const most = notes.length + maxRepairs
  let lines = quoted.lines
  for (;;) {
    const counter = new yaml.LineCounter()
    const documents = yaml.parseAllDocuments(lines.join("\n"), {
      lineCounter: counter,
      // An author who writes `<<` means it: a requirement in what it merges must not be lost.
      merge: true,
      prettyErrors: false,
      logLevel: "silent"
    })
    if (!Array.isArray(documents) || documents.length === 0) return Result.succeed({ data: null, notes })
    const document = documents[0] as Yaml.Document.Parsed
    if (documents.length > 1) return unreadable(lineOf(lines, /^(\.\.\.|---)/), "more than one YAML document")
    const error = document.errors.find((one) => one.code !== "DUPLICATE_KEY" && !LooseSigns.isEmptyAlias(one))
    if (error === undefined)
      return Result.map(valuesOf(yaml, document, counter, lines.join("\n")), joinNotes(notes))
    const { line, col } = counter.linePos(error.pos[0])
    const few = document.errors.length <= 3 * maxRepairs && notes.length < most
    const mendable = error.code === "BLOCK_AS_IMPLICIT_KEY" || error.code === "BAD_SCALAR_START"
    const repaired = few && mendable ? quoteValue(lines, line, col) : undefined
    if (repaired === undefined) return unreadable(line, firstLine(error.message))
    lines = repaired.lines
    notes.push({
      line,
      message: `the value of "${repaired.key}" holds a colon or sign and should stand in quotes`
    })
  }
}

const valuesOf = (
  yaml: typeof Yaml,
  document: Yaml.Document.Parsed,
  counter: Yaml.LineCounter,
  source: string
): Result.Result<Values, FrontmatterInvalid> => {
  const top = yaml.isMap(document.contents) ? document.contents : undefined
  const names = (top?.items ?? []).map(({ key }) => (yaml.isScalar(key) ? String(key.value) : ""))
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  const notes: Array<FrontmatterNote> = []
  const doubles = document.errors.filter(({ code }) => code === "DUPLICATE_KEY")
  for (const { pos } of doubles) {
    const { line } = counter.linePos(pos[0])
    // Which of two requirements counts must not be guessed.
    if (twice.includes("metadata") || doubles.length > twice.length)
      return unreadable(line, "a key of the metadata stands there twice")
    notes.push({ line, message: "a key stands there twice; the last counts" })
  }
  const { left, putBack } = LooseSigns.putBack(yaml, document, source)
  if (left !== undefined)
    return unreadable(counter.linePos(left).line, "an alias or tag stands for requirements and leads nowhere")
  const said = new Map(putBack.map(({ at, key }) => [counter.linePos(at).line, key]))
  for (const [line, key] of said)
    notes.push({
      line,
      message: `the value of "${key}" holds a colon or sign and should stand in quotes; it is kept whole`
    })
  for (const { pos, message } of document.warnings) {
    const { line } = counter.linePos(pos[0])
    if (!said.has(line)) notes.push({ line, message: firstLine(message) })
  }
  for (const [at, pair] of (top?.items ?? []).entries())
    if (names[at] !== "metadata" && yaml.isNode(pair.value))
      yaml.visit(pair.value, {
        Scalar: (_, node) => {
          if (typeof node.value !== "string" && node.value !== null)
            node.value = node.source ?? String(node.value)
        }
      })
  return Result.try({
    try: () => ({ data: document.toJS({ maxAliasCount: 100 }) as unknown, notes }),
    catch: (cause) => unreadableError(2, firstLine(cause instanceof Error ? cause.message : String(cause)))
  })
}

const joinNotes =
  (before: ReadonlyArray<FrontmatterNote>) =>
  ({ data, notes }: Values): Values => ({ data, notes: [...before, ...notes] })

const lineOf = (lines: ReadonlyArray<string>, pattern: RegExp): number =>
  lines.findIndex((line) => pattern.test(line)) + 1

const firstLine = (message: string): string => message.split("\n")[0] ?? ""

const unreadableError = (line: number, message: string) =>
  new FrontmatterInvalid({
    reason: "unreadable",
    line,
    message: `the frontmatter cannot be read: ${message}`
  })

const unreadable = (line: number, message: string) => Result.fail(unreadableError(line, message))
