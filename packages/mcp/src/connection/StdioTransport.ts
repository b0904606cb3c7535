/**
 * The MCP client's transport over a `ProcessGroup`: one JSON-RPC message a line. Lines that are no JSON-RPC are
 * ignored; an endless line, the end of the output and the end of the process close the connection with a reason.
 *
 * Starting and ending the process is not here; the handshake is `McpSession`.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { ProcessGroup } from "../process/ProcessGroup.ts"
import { LineFramer } from "./LineFramer.ts"

export interface StdioTransport extends Transport {
  readonly pid: number
  /** With `pid` the mark by which the client takes a transport for stdio. */
  readonly stderr: null
  /** Ends the connection for a reason that was found elsewhere. */
  readonly end: (reason: string) => void
}

export interface StdioOptions {
  readonly maxLineBytes: number
  /** Why nothing more will come; `own`: this side closed it. At most once of each kind. */
  readonly onEnd: (reason: string, own: boolean) => void
  /** A line that is no message. */
  readonly onNoise: (line: string) => void
}

export const outputClosed = "closed its standard output"

/** After the exit, what still stands in the pipe is read for this long, also when a grandchild holds it open. */
const exitGraceMillis = 60
/** After the end of the output, the exit is waited for this long: it tells more. */
const endGraceMillis = 250

const isMessage = (value: unknown): value is JSONRPCMessage => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, id } = value as Record<string, unknown>
  return (
    jsonrpc === "2.0" &&
    (typeof method === "string" || (id !== undefined && ("result" in value || "error" in value)))
  )
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON: the caller reports the line as noise.
    return undefined
  }
}

export const make = (group: ProcessGroup, options: StdioOptions): StdioTransport => {
  const framer = new LineFramer(options.maxLineBytes)
  let ended = false
  let died = false
  let started = false

  const finish = (reason: string, own = false): void => {
    // The server's own end is told also after this side has closed: it may be why.
    if (own ? !ended : !died) options.onEnd(reason, own)
    died ||= !own
    if (ended) return
    ended = true
    transport.onclose?.()
  }

  const take = (chunk: Uint8Array): void => {
    if (ended) return
    const framed = framer.push(chunk)
    if (framed._tag === "TooLong") {
      group.stopReading()
      finish(`sent a line that is too long (over ${options.maxLineBytes} bytes without a line end)`)
      return
    }
    for (const line of framed.lines) {
      if (line.trim() === "") continue
      const value = parse(line)
      if (isMessage(value)) transport.onmessage?.(value)
      else options.onNoise(line)
    }
  }

  const transport: StdioTransport = {
    pid: group.pid,
    stderr: null,
    end: (reason) => finish(reason),
    start: async () => {
      if (started) return
      started = true
      group.onStdout(take)
      group.onStdoutEnd(() => setTimeout(() => finish(outputClosed), endGraceMillis))
      group.onExit((how) => setTimeout(() => finish(how), exitGraceMillis))
    },
    send: (message) => group.write(`${JSON.stringify(message)}\n`),
    close: async () => finish("was closed", true)
  }
  return transport
}
