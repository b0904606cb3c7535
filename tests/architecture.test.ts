/** Holds the house plan: who may import whom, where platforms may be named, how long a file may be. */
import { describe, expect, test } from "bun:test"
import fs from "node:fs"
import path from "node:path"

const root = path.resolve(import.meta.dir, "..")

/** What a package may import of the others. */
const leaves = ["store", "agent", "models", "tools", "skills", "mcp", "retrieval", "policy"]
const allowed: Record<string, ReadonlyArray<string>> = {
  core: [],
  ...Object.fromEntries(leaves.map((name) => [name, ["core"]])),
  server: ["core", ...leaves],
  cli: ["core", ...leaves, "server"]
}

/** Small, pure, without dependencies: what `core/text` may stand on beside effect. */
const pureLibraries = ["jsonc-parser", "fastest-levenshtein", "ipaddr.js"]

/** More files than a reader takes in at a glance. */
const maxFiles = 24

interface SourceFile {
  /** Below the root, with `/`. */
  readonly file: string
  readonly text: string
  readonly imports: ReadonlyArray<string>
}

const patterns = [
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
  /^\s*import\s*["']([^"']+)["']/gm,
  /\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/g
]

/** Imports of values and of types, at the top and where they are used. */
const importsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((found) => found[1] as string)))
]

const sources = (folder: string): ReadonlyArray<SourceFile> =>
  [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root })]
    .filter((file) => !file.includes("node_modules/"))
    .sort()
    .map((file) => {
      const text = fs.readFileSync(path.join(root, file), "utf8")
      return { file, text, imports: importsOf(text) }
    })

const packages = fs.readdirSync(path.join(root, "packages")).sort()
const inSource = packages.flatMap((name) => sources(`packages/${name}/src`))
const everywhere = [
  ...inSource,
  ...packages.flatMap((name) => sources(`packages/${name}/test`)),
  ...["tests", "bench", "examples"].flatMap(sources)
]

const dependencies = ["package.json", ...packages.map((name) => `packages/${name}/package.json`)].flatMap(
  (file) => {
    const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"))
    return Object.entries({ ...dependencies, ...devDependencies }).map(([name, version]) => ({
      file,
      name,
      version: String(version)
    }))
  }
)

const packageOf = (file: string): string => file.split("/")[1] as string
const header = (text: string): string => /^(?:#![^\n]*\n)?\s*\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? ""

/** `file: what is wrong`, for every file that breaks the rule. */
const faults = (
  files: ReadonlyArray<SourceFile>,
  rule: (source: SourceFile) => ReadonlyArray<string>
): ReadonlyArray<string> => files.flatMap((source) => rule(source).map((what) => `${source.file}: ${what}`))

/** Every way on which a file imports itself, each once, as `a → b → a`. */
const circles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const done = new Set<string>()
  const known = new Map(files.map((source) => [source.file, source]))
  const walk = (file: string, way: ReadonlyArray<string>): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.push([...way.slice(at), file].join(" → "))
    if (at >= 0 || done.has(file)) return
    for (const one of known.get(file)?.imports ?? [])
      if (one.startsWith(".")) walk(path.join(path.dirname(file), one), [...way, file])
    done.add(file)
  }
  for (const { file } of files) walk(file, [])
  return found
}

describe("architecture", () => {
  test("the packages are those of the house plan", () => {
    expect(packages).toEqual(Object.keys(allowed).sort())
  })

  test("imports between packages follow the direction", () => {
    const wrong = faults(inSource, ({ file, imports }) =>
      imports.flatMap((one) => {
        const other = /^@cow\/([^/]+)/.exec(one)?.[1]
        return other !== undefined && !(allowed[packageOf(file)] ?? []).includes(other)
          ? [`imports ${one}`]
          : []
      })
    )
    expect(wrong).toEqual([])
  })

  test("no relative import leaves its package, and none reaches behind a package's index", () => {
    const wrong = faults(inSource, ({ file, imports }) =>
      imports.filter((one) => {
        if (/^@cow\/[^/]+\/./.test(one)) return true
        if (!one.startsWith(".")) return false
        const target = path.join(path.dirname(file), one)
        return !target.startsWith(`packages/${packageOf(file)}/`)
      })
    )
    expect(wrong).toEqual([])
  })

  test("behind a package's index there is core's testing alone, and only tests reach for it", () => {
    const behind = faults(everywhere, ({ imports }) => imports.filter((one) => /^@cow\/[^/]+\/./.test(one)))
    const allowedOne = /^(packages\/[a-z]+\/test|tests)\/.*: @cow\/core\/testing$/
    expect(behind.length).toBeGreaterThan(0)
    expect(behind.filter((fault) => !allowedOne.test(fault))).toEqual([])
  })

  test("core imports nothing but effect, and in core/text the pure libraries without dependencies", () => {
    const core = inSource.filter(({ file }) => packageOf(file) === "core")
    expect(core.length).toBeGreaterThan(20)
    const wrong = faults(core, ({ file, imports }) =>
      imports.filter(
        (one) =>
          !/^(\.|effect\/)/.test(one) &&
          !(file.startsWith("packages/core/src/text/") && pureLibraries.includes(one))
      )
    )
    expect(wrong).toEqual([])
  })

  test("no file imports itself, by whatever way round", () => {
    expect(circles(inSource)).toEqual([])
    const loop = ["a", "b", "c"].map((name, at) => ({
      file: `${name}.ts`,
      text: "",
      imports: [`./${"bca"[at]}.ts`]
    }))
    expect(circles(loop)).toEqual(["a.ts → b.ts → c.ts → a.ts"])
  })

  test("no folder of source holds more than 24 files", () => {
    const count = new Map<string, number>()
    for (const { file } of inSource) count.set(path.dirname(file), (count.get(path.dirname(file)) ?? 0) + 1)
    expect([...count].filter(([, files]) => files > maxFiles).map(([folder]) => folder)).toEqual([])
  })

  test("docs/architecture.md names every folder of source, and no other", () => {
    const page = fs.readFileSync(path.join(root, "docs/architecture.md"), "utf8")
    const named = [...page.matchAll(/^\| `([a-z]+\/src[a-z/]*)` \|/gm)].map((found) => `packages/${found[1]}`)
    const folders = new Set(inSource.map(({ file }) => path.dirname(file)))
    expect([...named].sort()).toEqual([...folders].sort())
  })

  test("effect and its platform are imported by subpath", () => {
    const rootImport = /^(effect|@effect\/[^/]+)$/
    expect(faults(everywhere, ({ imports }) => imports.filter((one) => rootImport.test(one)))).toEqual([])
  })

  test("the platform is named in one file", () => {
    const naming = inSource.filter(({ imports }) =>
      imports.some((one) => one.startsWith("@effect/platform-"))
    )
    expect(naming.map(({ file }) => file)).toEqual(["packages/cli/src/Platform.ts"])
  })

  test("node: and bun: stand only in files whose header says that they are the layer for them", () => {
    const wrong = faults(inSource, ({ imports, text }) => {
      const builtin = imports.filter((one) => /^(node|bun)(:|$)/.test(one))
      return builtin.length > 0 && !/\blayer for\b/i.test(header(text)) ? builtin : []
    })
    expect(wrong).toEqual([])
  })

  test("process.env is read in the command line only", () => {
    const wrong = inSource.filter(
      ({ file, text }) => packageOf(file) !== "cli" && /\b(process|Bun)\.env\b/.test(text)
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  test("no file is longer than 400 lines, and every source file says what it owns", () => {
    expect(faults(everywhere, ({ text }) => (text.split("\n").length > 401 ? ["too long"] : []))).toEqual([])
    expect(faults(inSource, ({ text }) => (header(text) === "" ? ["has no header"] : []))).toEqual([])
  })

  test("no file is named for being of use", () => {
    const useful = /(^|\/)(utils?|helpers?|common|misc)(\.|\/)/i
    expect(everywhere.filter(({ file }) => useful.test(file)).map(({ file }) => file)).toEqual([])
  })

  test("versions are pinned exactly", () => {
    const loose = dependencies
      .filter(({ version }) => !/^(\d+\.\d+\.\d+(-[\w.]+)?|workspace:\*)$/.test(version))
      .map(({ file, name, version }) => `${file}: ${name} ${version}`)
    expect(loose).toEqual([])
  })

  test("every package from the registry is named with its version in a decision", () => {
    const folder = path.join(root, "docs/decisions")
    const pages = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file), "utf8"))
    const silent = dependencies
      .filter(({ version }) => version !== "workspace:*")
      .filter(({ name, version }) => !pages.some((page) => page.includes(`\`${name}\` ${version}`)))
    expect([...new Set(silent.map(({ name, version }) => `${name} ${version}`))]).toEqual([])
  })
})
