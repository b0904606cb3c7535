import { expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as StdioPolicy from "../../src/config/StdioPolicy.ts"

const code = (line: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const [command = "", ...args] = line
  const checked = StdioPolicy.check({ _tag: "Stdio", command, args, env, cwd: undefined })
  return Result.isFailure(checked) ? checked.failure.code : "ok"
}

for (const command of ["python", "python3", "node", "npx", "bun", "bunx", "deno", "uv", "uvx", "docker"])
  test(`${command} may be started`, () => expect(code([command, "server"])).toBe("ok"))

for (const command of [
  "mytool",
  "bash",
  "/usr/bin/python3",
  "./node",
  "Python",
  "python.exe",
  "python server.py",
  ""
])
  test(`${JSON.stringify(command)} may not`, () => expect(code([command])).toBe("command_not_allowed"))

for (const line of [
  "python -c x",
  "python -cx",
  "node -e x",
  "node --eval=x",
  "node -p x",
  "bun -e x",
  "deno eval x",
  "docker run --privileged i",
  "docker run -v /:/h i",
  "docker run --mount type=bind,source=/,target=/h i",
  "docker run -v /var/run/docker.sock:/s i",
  "docker run --mount type=bind,source=/var/run/docker.sock,target=/s i",
  "docker run --network host i",
  "docker run --network=host i",
  "docker run --pid=host i",
  "docker run --ipc=host i"
])
  test(`${line} is refused for its arguments`, () => expect(code(line.split(" "))).toBe("args_not_allowed"))

test("a folder that is the user's own may be given to docker", () => {
  expect(code("docker run -i --rm -v /home/u/data:/data i".split(" "))).toBe("ok")
})

for (const name of [
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "NODE_OPTIONS",
  "PYTHONSTARTUP",
  "PYTHONPATH",
  "BASH_ENV",
  "PATH"
])
  test(`${name} may not be set`, () =>
    expect(code(["node", "s.js"], { [name]: "x" })).toBe("env_not_allowed"))
