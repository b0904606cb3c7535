#!/usr/bin/env bun
/** The entry point. Loads nothing for `--version`. */
import { version } from "./Version.ts"

const args = process.argv.slice(2)
// A reader that has gone is no failure. Without a listener it would be one.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v"))
  process.stdout.write(`cow v${version}\n`)
else {
  // Until the program takes signals itself nothing has begun that would need an end.
  const stop = () => process.exit(130)
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  for (const signal of signals) process.on(signal, stop)
  import("./Program.ts").then(({ run }) => {
    run(args)
    for (const signal of signals) process.off(signal, stop)
  })
}
