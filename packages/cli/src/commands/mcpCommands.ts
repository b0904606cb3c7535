/** `cow mcp …`: arguments, flags and help. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../layers/Lazily.ts"
import * as runFlags from "../run/RunFlags.ts"
import { who } from "./toolCommands.ts"

const describe = Command.withDescription
const servers = () => import("../actions/mcp.ts")

const logins = () => import("../actions/mcpLogin.ts")

const serversFile = () => import("../actions/mcpEdit.ts")

const server = { name: Argument.String("name") }

const grant = Flag.String("grant").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Who may use it; `default` if absent, '*' is everyone"),
  Flag.atLeast(0)
)

const assignment = {
  server: Argument.String("server"),
  personas: Argument.String("persona").pipe(Argument.variadic({ min: 1 }))
}

export const mcp = Command.make("mcp").pipe(
  describe("MCP servers, which bring more tools"),
  Command.withSubcommands([
    Command.make(
      "list",
      { json: runFlags.json, ...runFlags.servers },
      lazily(servers, (m) => m.list)
    ).pipe(describe("List servers and how each stands")),
    Command.make(
      "get",
      { ...server, json: runFlags.json, ...runFlags.servers },
      lazily(servers, (m) => m.get)
    ).pipe(describe("Show one, secrets masked")),
    Command.make(
      "test",
      { ...server, json: runFlags.json },
      lazily(servers, (m) => m.test)
    ).pipe(describe("Connect to one, list its tools, and let go")),
    Command.make(
      "tools",
      { ...server, ...who },
      lazily(
        () => import("../actions/toolList.ts"),
        (m) => m.ofServer
      )
    ).pipe(describe("List the tools of one")),
    Command.make(
      "add",
      {
        ...server,
        transport: Flag.Literals("transport", ["stdio", "http", "sse"]).pipe(
          Flag.withAlias("t"),
          Flag.optional
        ),
        env: Flag.String("env").pipe(
          Flag.withAlias("e"),
          Flag.withMetavar("K=V"),
          Flag.withDescription("A variable for the server; may be given more than once"),
          Flag.atLeast(0)
        ),
        header: Flag.String("header").pipe(
          Flag.withAlias("H"),
          Flag.withMetavar("K: V"),
          Flag.withDescription("A header for every request; may be given more than once"),
          Flag.atLeast(0)
        ),
        grant,
        target: Argument.String("url | -- command").pipe(Argument.variadic())
      },
      lazily(serversFile, (m) => m.add)
    ).pipe(describe("Add one: cow mcp add NAME URL, or cow mcp add NAME -- CMD ARGS")),
    Command.make(
      "import",
      { source: Argument.String("program | file"), grant },
      lazily(
        () => import("../actions/mcpImport.ts"),
        (m) => m.importServers
      )
    ).pipe(
      describe(
        "Take servers over from claude-desktop, claude-code, cursor, vscode, codex, gemini, opencode, or a file"
      )
    ),
    Command.make(
      "serve",
      { persona: runFlags.persona, permission: runFlags.permission },
      lazily(
        () => import("../actions/mcpServe.ts"),
        (m) => m.serve
      )
    ).pipe(describe("Offer Cow's own tools to other agents, as an MCP server on stdio")),
    Command.make(
      "remove",
      server,
      lazily(serversFile, (m) => m.remove)
    ).pipe(describe("Remove one")),
    Command.make(
      "enable",
      server,
      lazily(serversFile, (m) => m.enable)
    ).pipe(describe("Let one start")),
    Command.make(
      "disable",
      server,
      lazily(serversFile, (m) => m.disable)
    ).pipe(describe("Keep one from starting")),
    Command.make(
      "login",
      {
        ...server,
        noBrowser: Flag.Boolean("no-browser").pipe(
          Flag.withDescription("Print the address only; where the browser ends may be pasted"),
          Flag.withDefault(false),
          Flag.withoutNegation
        )
      },
      lazily(logins, (m) => m.login)
    ).pipe(describe("Log in to one that asks for it, in your browser")),
    Command.make(
      "logout",
      server,
      lazily(logins, (m) => m.logout)
    ).pipe(describe("Forget the login to one")),
    Command.make(
      "reload",
      { server: Argument.String("server").pipe(Argument.optional) },
      lazily(serversFile, (m) => m.reload)
    ).pipe(describe("Make running processes restart a server, or all that failed")),
    Command.make(
      "grant",
      assignment,
      lazily(serversFile, (m) => m.grant)
    ).pipe(describe("Let personas use a server's tools")),
    Command.make(
      "revoke",
      assignment,
      lazily(serversFile, (m) => m.revoke)
    ).pipe(describe("Take a server's tools from personas"))
  ])
)
