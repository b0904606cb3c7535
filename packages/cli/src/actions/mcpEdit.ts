/** `cow mcp add|remove|enable|disable|grant|revoke|reload`: the user's `mcp.json`, and processes that run. No
 * server is started for it. */
import { Audience, type Message, PersonaStore } from "@cow/core"
import { McpConfig, McpConfigFile, type McpEditRefused } from "@cow/mcp"
import { Grants } from "@cow/policy"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { badUsage, ExitCode, failed } from "../command/ExitCode.ts"
import { noSuch } from "../command/NoSuch.ts"
import * as App from "../layers/App.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as ReloadRequest from "../run/ReloadRequest.ts"
import * as RunSetup from "../run/RunSetup.ts"
import { UserHome } from "../settings/UserHome.ts"
import * as Workspace from "../settings/Workspace.ts"
import { Output } from "../terminal/Output.ts"

/** `mcp.json`, and the personas that may be named in it. */
export const file = Layer.unwrap(
  Effect.map(UserHome, ({ config, paths }) =>
    McpConfigFile.layer({ cowHome: paths.folder, configServers: config.given.mcp_servers })
  )
).pipe(Layer.provideMerge(App.personas))

export const refusals = {
  McpEditRefused: ({ message, reason }: McpEditRefused) =>
    failed(message, reason === "unwritable" ? ExitCode.failure : ExitCode.badInput)
}

/** Behind `for`. */
const people = (ids: ReadonlyArray<string>): string =>
  ids.includes("*") ? "every persona" : ids.length === 0 ? "nobody" : ids.join(", ")

const tell = (text: string) => Effect.flatMap(Output, (output) => output.note(text))

/** `K=V` or `K: V` to a record. */
const pairs = (flag: string, mark: "=" | ":", given: ReadonlyArray<string>) =>
  Effect.forEach(given, (one) => {
    const at = one.indexOf(mark)
    if (at <= 0) return Effect.fail(badUsage(`cow mcp add: ${flag} wants KEY${mark}VALUE, got "${one}"`))
    return Effect.succeed([
      one.slice(0, at).trim(),
      mark === ":" ? one.slice(at + 1).trim() : one.slice(at + 1)
    ] as const)
  }).pipe(Effect.map((list) => Object.fromEntries(list)))

interface AddInput {
  readonly name: string
  readonly transport: Option.Option<"stdio" | "http" | "sse">
  readonly env: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  readonly grant: ReadonlyArray<string>
  readonly target: ReadonlyArray<string>
}

/** `ws://host`, `localhost:3000/mcp`: no program is called so. */
const looksLikeAddress = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z0-9.-]+:\d+(?:\/|$))/i

const entryOf = Effect.fnUntraced(function* (input: AddInput) {
  const [first, ...rest] = input.target
  if (first === undefined) return yield* badUsage("cow mcp add: a URL, or -- and a command, is missing")
  const isUrl = /^https?:\/\//i.test(first)
  if (!isUrl && looksLikeAddress.test(first))
    return yield* badUsage(
      `cow mcp add: "${first}" is no address of a server: it must begin with http:// or https://`
    )
  const transport = Option.getOrElse(input.transport, () => (isUrl ? "http" : "stdio"))
  const env = yield* pairs("-e", "=", input.env)
  const headers = yield* pairs("-H", ":", input.header)
  if (transport === "stdio") {
    if (isUrl) return yield* badUsage("cow mcp add: a URL is no command; leave -t stdio out")
    if (input.header.length > 0) return yield* badUsage("cow mcp add: -H is for servers with a URL")
    return {
      command: first,
      args: rest,
      ...(input.env.length > 0 ? { env } : {})
    } satisfies Message.JsonObject
  }
  if (!isUrl) return yield* badUsage(`cow mcp add: "${first}" is no http or https URL`)
  if (rest.length > 0) return yield* badUsage(`cow mcp add: unexpected "${rest.join(" ")}" after the URL`)
  if (input.env.length > 0) return yield* badUsage("cow mcp add: -e is for servers with a command")
  // Without -t the transport is found out: streamable HTTP first, then SSE.
  const type = Option.isSome(input.transport) ? { type: transport } : {}
  return { ...type, url: first, ...(input.header.length > 0 ? { headers } : {}) } satisfies Message.JsonObject
})

/** `default` unless told otherwise. */
export const grantOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  if (given.length === 0) return Audience.only(["default"])
  if (given.includes("*")) {
    if (given.some((id) => id !== "*"))
      return yield* badUsage("cow mcp add: --grant '*' means everyone and stands alone")
    return Audience.everyone
  }
  return Audience.only(yield* Effect.forEach(given, RunSetup.knownPersona))
})

const namePattern = /^[A-Za-z0-9._-]{1,64}$/

export const add = Effect.fnUntraced(
  function* (input: AddInput) {
    yield* InsideRun.refuse("adding an MCP server")
    if (!namePattern.test(input.name))
      return yield* failed(
        `server name "${input.name}" must be 1 to 64 of A-Z a-z 0-9 . _ -`,
        ExitCode.badInput
      )
    const entry = yield* entryOf(input)
    const audience = yield* grantOf(input.grant)
    const config = yield* McpConfigFile
    yield* config.add(input.name, entry, audience)
    yield* tell(
      `added ${input.name} for ${people(Audience.toIds(audience))}; try it: cow mcp test ${input.name}`
    )
  },
  Effect.catchTags(refusals),
  Effect.provide(file)
)

export const remove = Effect.fnUntraced(
  function* ({ name }: { readonly name: string }) {
    yield* Effect.flatMap(McpConfigFile, (config) => config.remove(name))
    yield* tell(`removed ${name}`)
  },
  Effect.catchTags(refusals),
  Effect.provide(file)
)

const turn = (enabled: boolean) =>
  Effect.fnUntraced(
    function* ({ name }: { readonly name: string }) {
      if (enabled) yield* InsideRun.refuse("enabling an MCP server")
      yield* Effect.flatMap(McpConfigFile, (config) => config.setEnabled(name, enabled))
      yield* tell(`${enabled ? "enabled" : "disabled"} ${name}`)
    },
    Effect.catchTags(refusals),
    Effect.provide(file)
  )

export const enable = turn(true)
export const disable = turn(false)

/** Who may use the server as it is written now. */
const audienceNow = Effect.fnUntraced(function* (name: string) {
  const entry = yield* Effect.flatMap(McpConfigFile, (config) => config.get(name))
  const [server] = McpConfig.ofDocument({ mcpServers: { [name]: entry } }, "user", name).servers
  if (server === undefined || Result.isFailure(server.entry))
    return yield* failed(
      `server "${name}": ${server?.entry.pipe(
        Result.getFailure,
        Option.getOrElse(() => "wrong entry")
      )}`,
      ExitCode.badInput
    )
  return server.entry.success.audience
})

const assign = (assigned: boolean) =>
  Effect.fnUntraced(
    function* (input: { readonly server: string; readonly personas: ReadonlyArray<string> }) {
      if (assigned) yield* InsideRun.refuse("granting an MCP server")
      const all = (yield* Effect.flatMap(PersonaStore, (store) => store.list)).map(({ id }) => id)
      const before = yield* audienceNow(input.server)
      let ids = Audience.toIds(before)
      for (const persona of input.personas)
        ids = yield* Effect.fromResult(Grants.nextAllowed(ids, persona, assigned, all)).pipe(
          Effect.mapError((error) => noSuch("persona", error.persona, all))
        )
      yield* Effect.flatMap(McpConfigFile, (config) =>
        config.setAudience(input.server, Audience.fromIds(ids))
      )
      const narrowed =
        before._tag === "Everyone" && !ids.includes("*") && ids.length > 0
          ? "; personas made later are left out"
          : ""
      yield* tell(`${input.server} is for ${people(ids)}${narrowed}`)
    },
    Effect.catchTags(refusals),
    Effect.provide(file)
  )

export const grant = assign(true)
export const revoke = assign(false)

/** Names of the project's servers, trusted or not. */
const projectServers = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const at = path.join(yield* Workspace.current, ".mcp.json")
  const text = yield* Effect.option(fs.readFileString(at))
  const list = Option.flatMap(text, (found) => Result.getSuccess(McpConfig.ofText(found, "project", at)))
  return new Set(
    Option.match(list, { onNone: () => [], onSome: ({ servers }) => servers }).map(({ name }) => name)
  )
})

export const reload = Effect.fnUntraced(
  function* ({ server }: { readonly server: Option.Option<string> }) {
    const name = Option.getOrNull(server)
    if (name !== null && !(yield* projectServers).has(name))
      yield* Effect.flatMap(McpConfigFile, (config) => config.get(name))
    yield* ReloadRequest.send(name)
    yield* tell(`asked running processes to restart ${name ?? "what failed or changed"}`)
  },
  Effect.catchTags(refusals),
  Effect.provide(file)
)
