/**
 * `bun run build`: one self-contained executable, `dist/cow`, with the bundled skills inside (`BundledSkills`).
 *
 * This is the layer for Bun.build and the files it takes.
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import type { BundledFile } from "./src/settings/BundledSkills.ts"

const root = resolve(import.meta.dir, "../..")
const target = join(root, "dist/cow")

/** Whether it may be run, and the base64, of every file below the folder by its path with `/`, sorted: the same tree gives the same executable. */
const filesBelow = (folder: string): Record<string, BundledFile> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile())
      .sort()
      .map((file) => [
        relative(folder, file).split(sep).join("/"),
        { executable: (statSync(file).mode & 0o100) !== 0, content: readFileSync(file).toString("base64") }
      ])
  )

mkdirSync(join(root, "dist"), { recursive: true })
const result = await Bun.build({
  // What the built-in tools do in a thread of its own is an entry of its own, named by its path below `packages`.
  entrypoints: [join(import.meta.dir, "src/main.ts"), join(root, "packages/tools/src/thread/ThreadMain.ts")],
  target: "bun",
  format: "esm",
  minify: true,
  bytecode: true,
  compile: { outfile: target, autoloadBunfig: false, autoloadDotenv: false },
  define: { COW_BUNDLED_SKILLS: JSON.stringify(filesBelow(join(root, "skills"))) },
  throw: false
})
for (const log of result.logs) process.stderr.write(`${log.level}: ${log.message}\n`)
if (!result.success) process.exit(1)
const { version } = await import("./src/Version.ts")
const megabytes = Math.round(statSync(target).size / 1e6)
process.stderr.write(`built ${relative(process.cwd(), target) || target}: cow v${version}, ${megabytes} MB\n`)
