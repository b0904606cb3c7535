/** The real command line in a home and workspace of its own, as a user starts it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Absent: standard input is empty. */
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
}

const main = resolve(import.meta.dir, "../../src/main.ts")

export class Cow implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "cow-cli-")))
  readonly home = join(this.folder, "cow-home")
  readonly workspace = join(this.folder, "work")

  constructor(config: object | string = { model: "offline/cow" }) {
    mkdirSync(this.workspace)
    this.write("cow-home/config.json", typeof config === "string" ? config : JSON.stringify(config))
  }

  write(file: string, text: string): string {
    const path = resolve(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  /** What the command is started with, for a shell that starts it itself. */
  readonly command = [process.execPath, main]

  readonly options = {
    cwd: this.workspace,
    env: { PATH: process.env.PATH, HOME: this.folder, COW_HOME: this.home, OLLAMA_HOST: "127.0.0.1:9" }
  }

  /** Its standard input stays open until `stdin.end()`. */
  open(args: ReadonlyArray<string>) {
    return Bun.spawn([...this.command, ...args], {
      ...this.options,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe"
    })
  }

  /** On a terminal of its own; `seen` waits until a text stands there, behind what was seen before. */
  terminal(args: ReadonlyArray<string>) {
    let shown = ""
    let looked = 0
    let wake = () => {}
    const child = Bun.spawn([...this.command, ...args], {
      ...this.options,
      env: { ...this.options.env, TERM: "xterm", NO_COLOR: "1" },
      terminal: {
        cols: 100,
        data: (_, data) => {
          shown += Buffer.from(data).toString()
          wake()
        }
      }
    })
    const seen = async (text: string): Promise<void> => {
      for (;;) {
        const at = shown.indexOf(text, looked)
        if (at >= 0) {
          looked = at + text.length
          return
        }
        const ended = await Promise.race([
          new Promise<void>((resolve) => {
            wake = resolve
          }),
          child.exited
        ])
        if (ended !== undefined && shown.indexOf(text, looked) < 0)
          throw new Error(`ended with ${ended} before "${text}" was seen in:\n${shown}`)
      }
    }
    const type = (text: string) => void child.terminal?.write(text)
    return { seen, type, exited: child.exited, all: () => shown }
  }

  /** The exit code and output of a shell script. */
  shell(script: string) {
    const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", script, ...this.command], this.options)
    return { code: exitCode, stdout: stdout.toString() }
  }

  async run(args: ReadonlyArray<string>, { env = {}, stdin = "" }: RunOptions = {}): Promise<Ended> {
    const child = Bun.spawn([...this.command, ...args], {
      ...this.options,
      env: { ...this.options.env, ...env },
      stdin: new Blob([stdin]),
      stdout: "pipe",
      stderr: "pipe"
    })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { code, stdout, stderr }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
