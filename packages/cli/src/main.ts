#!/usr/bin/env bun
/** The entry point. Loads nothing for `--version`. */
import { version } from "./Version.ts"

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v"))
  process.stdout.write(`cow v${version}\n`)
else import("./Program.ts").then(({ run }) => run(args))
