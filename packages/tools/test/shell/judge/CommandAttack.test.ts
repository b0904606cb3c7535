// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell
import { afterAll, describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { escaping, hidden } from "./HidingCommands.ts"
import { verdict } from "./JudgedCommand.ts"
import { anyText, hiding } from "./ShellTexts.ts"

const wrong = (wanted: string, commands: ReadonlyArray<string>) =>
  commands.map((command) => [command.slice(0, 200), verdict(command)]).filter(([, is]) => is !== wanted)

describe("what hides in a command", () => {
  test(`is never taken for reading: ${hidden.length} commands`, () => {
    expect(hidden.map((command) => [command, verdict(command)]).filter(([, is]) => is === "Reads")).toEqual(
      []
    )
  })

  test("is not taken for reading wherever it stands: in quotes, lists, loops, here-documents", () => {
    const commands = [...hidden, ...escaping.filter((command) => verdict(`{\n${command}\n}`) !== "Reads")]
    expect(commands.length).toBe(hidden.length + escaping.length)
    fc.assert(
      fc.property(hiding(commands), (source) => {
        expect([source, verdict(source) === "Reads"]).toEqual([source, false])
      }),
      { numRuns: 5000 }
    )
  })

  test(`is refused where it is seen to write outside the workspace: ${escaping.length} commands`, () => {
    expect(wrong("Escapes", escaping)).toEqual([])
  })

  test("does not make plain reading and counting suspicious", () => {
    const plain = [
      "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
      "for ((i=0;i<3;i++)); do echo $i; done",
      "x=5; (( x > 3 )) && ls",
      "[[ $# -gt 0 ]] && ls",
      "echo ${#x} ${x%.ts} ${x##*/} ${x:-y} ${x^^} ${x:0:3} ${a[@]}",
      "cat <<'A'\n$(rm x)\nA",
      "sed -n '1,5p;7p' f",
      "sed -E 's/(a)/\\1/g' f",
      "awk -F: -v n=1 '{print $n}' f",
      "xargs -0 -n1 grep x",
      "xargs -I{} head {}",
      "timeout -k 5 5 ls",
      "nice -n 5 ls",
      "bash -lc 'ls'",
      "env -u X ls",
      "find . -name '*.ts' -exec wc -l {} +",
      "tar -tvf a.tar",
      "git log -n 5 --oneline",
      "git remote -v",
      "git reflog",
      "git stash list",
      "date -u +%F",
      "xxd -l 16 f",
      "uniq -c f",
      "ip addr show",
      "shopt -s nullglob; ls",
      "set -e; ls",
      "export X=1; ls",
      "read -r a b < f; echo $a",
      "ls -- *",
      "cat *",
      "printf '%s\\n' a",
      "test -f x && ls",
      '[ "$(cat f)" = "$x" ] && ls',
      "[ -f x -a -d y ]",
      "grep -rn foo src/*.ts",
      "git diff HEAD -- '*.ts'",
      "hostname -f",
      "less f",
      "set -euo pipefail; ls | head -1",
      "iconv -f utf-8 -t ascii README.md",
      "sed -n '/hi/{p;q}' f",
      "sh -c 'x=1; ls ${x} $((1 + 2)) | grep y > /dev/null 2>&1'",
      "a=([1]=x [2]=y); ls ${a[1]}",
      "cat <<-'END'\n\tit's $(rm x)\n\tEND",
      "echo ${x:-'a b'} \"${x#'a'}\"",
      "echo a\\\nb"
    ]
    expect(wrong("Reads", plain)).toEqual([])
    expect(
      wrong("Asks", [
        "cd a && rm x && cd .. && rm y",
        "cd sub; rm x",
        "rm ${X:-y}",
        "cd $X && touch y",
        "pushd a && rm x",
        "chmod +x a"
      ])
    ).toEqual([])
    expect(wrong("Never", ["cd / && rm -rf *", "cd /; rm -r ./*", "rm -rf /../", "rm --recur /"])).toEqual([])
  })

  test("takes bounded time for texts made to take long", () => {
    const texts = [
      "(".repeat(10_000),
      "$(".repeat(10_000),
      "${x:-".repeat(10_000),
      '"$('.repeat(10_000),
      "`".repeat(10_001),
      "{ ".repeat(10_000),
      "((".repeat(10_000),
      "$((".repeat(10_000),
      "! ".repeat(10_000),
      "if ".repeat(10_000),
      "<(".repeat(10_000),
      "f() ".repeat(10_000),
      `${"(".repeat(60)}ls${")".repeat(60)}`,
      `ls ${"a ".repeat(200_000)}`,
      "ls;".repeat(40_000),
      "ls;".repeat(40_000),
      `ls ${"{,".repeat(50_000)}`,
      `sed '${"\n".repeat(20_000)}w f'`,
      `sed '${" ".repeat(20_000)}w f'`,
      `rm ${"*?".repeat(5000)}x`,
      "cat <<A\n".repeat(3000),
      `cd ${"../../../".repeat(2000)}`,
      "cd a;cd b;".repeat(200),
      `x=${"a[".repeat(50_000)}`,
      `ls '${"x".repeat(1_000_000)}'`,
      `echo "${"$(ls)".repeat(20_000)}"`,
      "ls \\\n".repeat(50_000),
      `bash -c '${"sh -c ".repeat(3000)}'`,
      "#".repeat(1_000_000),
      "\n".repeat(500_000),
      "a=b ".repeat(50_000),
      `awk '${"close ".repeat(20_000)}'`,
      `echo $((${"1+".repeat(30_000)}1))`,
      "cd a && cat <<A\nx\nA\n".repeat(5000),
      `echo ${"${x:-'".repeat(9000)}`,
      "case a in a) ".repeat(9000),
      `a=(${"[".repeat(50_000)}`
    ]
    for (const text of texts) {
      const began = performance.now()
      expect(["Reads", "Asks", "Escapes", "Never"]).toContain(verdict(text))
      expect([text.slice(0, 20), performance.now() - began < 10_000]).toEqual([text.slice(0, 20), true])
    }
  }, 60_000)
})

describe("beside a real shell", () => {
  const root = mkdtempSync(join(tmpdir(), "cow-judge-"))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const bin = join(root, "bin")
  mkdirSync(bin)
  for (const name of ["rm", "boom"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho >> ${join(root, "ran")}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  test("nothing that runs or writes something there is judged to read", () => {
    const work = join(root, "work")
    fc.assert(
      fc.property(anyText, (source) => {
        if (verdict(source) !== "Reads") return
        rmSync(work, { recursive: true, force: true })
        rmSync(join(root, "ran"), { force: true })
        mkdirSync(work)
        spawnSync("bash", ["-c", source], {
          cwd: work,
          env: { PATH: `${bin}:/usr/bin:/bin`, HOME: root },
          timeout: 2000,
          stdio: "ignore"
        })
        expect([source, existsSync(join(root, "ran")), readdirSync(work)]).toEqual([source, false, []])
      }),
      { numRuns: Number(process.env.JUDGE_RUNS ?? 1500) }
    )
  }, 600_000)
})
