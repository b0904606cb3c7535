import { afterAll, expect, test } from "bun:test"
import { workbench } from "../Workbench.ts"

const bench = workbench()
afterAll(bench.close)

/** Read-only, workspace-write, full-access. */
const rows: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [
    "reading is allowed everywhere",
    ["Allow", "Allow", "Allow"],
    [
      "ls | grep x",
      "git -C dir status",
      "timeout 5 ls",
      "ls > /dev/null 2>&1",
      "cat <<EOF\n$(date)\nEOF",
      "set -euo pipefail; ls | head -1"
    ]
  ],
  [
    "changes inside the workspace are asked about",
    ["Deny", "Confirm", "Allow"],
    [
      "echo > f",
      "rm x",
      "git commit",
      "git branch newb",
      "git tag v1",
      "sed -i s/a/b/ f",
      "sed --in-place s/a/b/ f",
      "sort -o f g",
      "cp /etc/x .",
      "rm -rf ./tmp",
      "ls\nrm -rf x",
      "ls `rm -rf x`",
      "ls $(rm -rf x)",
      "find . -delete",
      "find . -exec rm {} \\;",
      "awk 'BEGIN { system(\"rm x\") }'",
      "env X=1 nohup rm x",
      "bash -c 'rm x'",
      ["cat <<A", "$" + "{x:-'$(rm x)'}", "A"].join("\n"),
      "kill %1"
    ]
  ],
  [
    "rights of others, paths outside and what cannot be read are refused below full access",
    ["Deny", "Deny", "Allow"],
    [
      "sudo x",
      "rm ../x",
      "cp x /etc/y",
      "echo > /etc/x",
      'bash -c "rm /etc/x"',
      "timeout 5 rm /etc/x",
      "ls\nsudo x",
      "echo 'open",
      "ls &&",
      "echo $(ls",
      "if true",
      "cat <("
    ]
  ],
  [
    "the end of a file system or a disk is refused everywhere",
    ["Deny", "Deny", "Deny"],
    ["rm -rf /", "rm -fr /*", "rm -r -f /", 'rm -rf "/"', "mkfs.ext4 /dev/x", "dd if=/dev/zero of=/dev/sda"]
  ]
]

for (const [what, verdicts, commands] of rows)
  test(`${what}: ${commands.length} commands`, async () => {
    for (const command of commands)
      expect([command, await bench.verdicts("bash", { command })]).toEqual([
        command,
        verdicts as Array<"Allow" | "Confirm" | "Deny">
      ])
  })

test("what only names a dangerous word is not refused", async () => {
  for (const command of ["echo shutdown", "grep poweroff f", "echo 'rm -rf /'"])
    expect([command, await bench.verdicts("bash", { command })]).toEqual([
      command,
      ["Allow", "Allow", "Allow"]
    ])
})
