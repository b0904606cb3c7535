/** Commands and settings that are promised and not built yet. Nothing of them is taken in silence. Pure. */

/** In the order in which they are typed. */
const commands: ReadonlyArray<ReadonlyArray<string>> = [["plugin"], ["rule"], ["models"], ["tools", "eval"]]

/** Flags of every command that take a value of their own. */
const withValue = new Set(["--workspace"])

/** What of the arguments names a command. */
const wordsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.filter((arg, at) => !arg.startsWith("-") && !withValue.has(args[at - 1] ?? ""))

/** The command that these arguments ask for and that is not there. `args`: those before `--`. */
export const commandIn = (args: ReadonlyArray<string>): string | undefined => {
  const words = wordsOf(args)
  return commands.find((command) => command.every((word, at) => word === words[at]))?.join(" ")
}

/** Settings that nothing reads. */
const settings: ReadonlySet<string> = new Set([
  "plugins",
  "embedding_provider",
  "embedding_model",
  "embedding_dimensions"
])

/** Settings of choosing among tools. */
const retrieval = /^mcp_tool_retrieval_/

const asksForNothing = (value: unknown): boolean =>
  value === false || (Array.isArray(value) && value.length === 0)

/** What to say of a setting with this value, where nothing comes of it. */
export const ofSetting = (key: string, value: unknown): string | undefined => {
  if (asksForNothing(value)) return undefined
  if (retrieval.test(key)) return `"${key}" has no effect: this version sends every tool in every step`
  return settings.has(key) ? `"${key}" is not in this version and has no effect` : undefined
}

/** Whether it is for `cow doctor` to say. `cow init` writes some of these itself: other commands do not nag about them. */
export const isForDoctor = (key: string): boolean => retrieval.test(key)
