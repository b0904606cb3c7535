// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell
import { afterAll, describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { verdict } from "./JudgedCommand.ts"

const wrong = (wanted: string, commands: ReadonlyArray<string>) =>
  commands.map((command) => [command.slice(0, 200), verdict(command)]).filter(([, is]) => is !== wanted)

/** Each of these writes, runs or loads something when a real shell and real programs get it. */
const hidden = [
  // redirections and here-documents
  "ls > f",
  "ls >| f",
  "ls &> f",
  "ls &>> f",
  "ls 2> f",
  "ls <> f",
  "ls {fd}> f",
  "ls 5>f",
  "exec 3> f",
  "ls >& f",
  "ls >&1x",
  "cat <<A > f\nx\nA",
  "bash <<A\nrm x\nA",
  "sh <<< 'rm x'",
  "cat <<A\n`rm x`\nA",
  "ls > >(cat > f)",
  "cat <(rm x)",
  "cat < /dev/tcp/127.0.0.1/1",
  // shells, wrappers and their options
  "eval rm x",
  "eval 'r''m x'",
  "eval ls *",
  "builtin eval 'rm x'",
  "command rm x",
  "command -p rm x",
  "exec -a ls rm x",
  "bash -cls 'rm x'",
  "bash -cps 'rm x'",
  "bash -lc 'rm x'",
  "bash -O extglob -c 'rm x'",
  "bash --rcfile f -ic ls",
  "sh -s",
  "bash",
  "env -S 'rm x'",
  "env -iS 'rm x'",
  "env -S'rm x'",
  "env --split-string='rm x'",
  "env --split='rm x'",
  "env -vS'rm x'",
  "env PATH=. ls",
  "env -i LD_PRELOAD=./x ls",
  "busybox rm x",
  "busybox",
  "python -c 'x'",
  "perl -e 'x'",
  "node -e 'x'",
  "xargs rm",
  "xargs -i rm ls",
  "xargs --replace rm ls",
  "xargs -I ls ls x",
  "xargs -I% %",
  "xargs sh -c",
  "xargs -a f sort",

  "/usr/bin/time -of ls",
  "\\time --output=f ls",
  "time -o f ls",
  "jobs -x rm x",
  "hash -p ./x ls; ls",
  "enable -f x y",
  "trap 'rm x' EXIT",
  "trap -- 'rm x' 0",
  "coproc rm x",
  "nice -n 5 rm x",
  "setsid -w rm x",
  "stdbuf -oL rm x",
  // names that stand for something else
  "alias ls=rm; ls x",
  "ls() { command rm x; }; ls",
  "$X x",
  "${X} x",
  "r$Y x",
  '"$X" x',
  "`echo rm` x",
  "$(echo rm) x",
  "*",
  "./x",
  "{rm,x}",
  "r{m,} x",
  'sort {-o"",f}',
  'sort {-"o",f}',
  'git diff {--"output"=f,}',
  'find . {-"delete",}',
  "export PATH=.; ls",
  "declare PATH=. ; ls",
  "read PATH <<< . ; ls",
  "printf -v PATH .; ls",
  "printf -v a -v 'b[$(rm x)]' x",
  "printf -v$x 'a[$(rm x)]' x",
  "for PATH in .; do ls; done",
  "getopts a PATH",
  "readonly PATH=.",
  "unset PATH; ls",
  "declare -n r=PATH; r=.; ls",
  "typeset -n r=PATH",
  "set -k; ls PATH=.",
  ": ${PATH:=.}",
  "(( PATH = 1 ))",
  "let PATH=1",
  "set -a",
  "shopt -s expand_aliases",
  "PS4='$(rm x)' set -x",
  "TAR_OPTIONS=--to-command=x tar tf a",
  // values that are evaluated
  "x='a[$(rm x)]'; echo $((x))",
  "x='$(rm x)'; echo ${x@P}",
  "x='a[$(rm y)]'; echo ${!x}",
  "test -v 'a[$(rm x)]'",
  "[ -v 'a[$(rm x)]' ]",
  "[[ -v 'a[$(rm x)]' ]]",
  "[[ 'a[$(rm x)]' -eq 1 ]]",
  "printf -v 'a[$(rm x)]' x",
  "read 'a[$(rm x)]' < f",
  "unset 'a[$(rm x)]'",
  "declare -i n='a[$(rm x)]'",
  "let 'a[$(rm x)]'",
  "read x < f; echo $((x + 1))",
  "for f in *; do echo $((f)); done",
  "x=$(cat f); (( x ))",
  "echo $(( `cat f` ))",
  "x=1; while ls; do echo $((x)); x=$(cat f); done",
  "a[x]=1; x='b[$(rm y)]'",
  "echo ${a:x:1}",
  "read x < f; [[ $x -gt 2 ]]",
  "echo $[ x ]".replace("$[ x ]", "$(( $(cat f) ))"),
  ": -of; sort $_ g",
  "set -- -of; sort $1 g",
  // programs that write when asked to
  "tee f",
  "sort --output=f g",
  "sort --out f g",
  "sort -o f",
  "sort *",
  "rg --pre=./x y",
  "rg x *",
  "sed 'w f' g",
  "sed --expr='w f' p",
  "sed -f s g",
  "sed -n -e p -e 'w f' g",
  "sed -ni p f",
  "sed -Ei s/a/b/ f",
  "sed -I .bak p f",
  "sed p *",
  "sed 's/a/b/w f' g",
  "sed '/x/{w f\n}' g",
  "sed 'e rm x' g",
  "awk '{print > \"f\"}' g",
  "gawk -i inplace 1 f",
  "gawk --source='BEGIN{system(\"rm x\")}' p",
  "gawk -e'BEGIN{system(\"rm x\")}' p",
  "awk -f p g",
  "awk 'BEGIN{\"rm x\" | getline}'",
  "mawk -W exec f",
  "gawk -o f 1",
  "find . -exec rm {} \\;",
  "find . -okdir rm {} \\;",
  "find . -fprintf f x",
  "find *",
  "tar tf a --to-command=x",
  "tar tf a -vI ./x",
  "tar tf a -F ./x",
  "tar tf host:a",
  "tar xf a",
  "tar cf a b",
  "tar -tf a --checkpoint-action=exec=x",
  "git -c core.pager=./x log",
  "git config alias.x '!rm x'",
  "git --git-dir=x status",
  "git --work-tree=x status",
  "git -p log",
  "git stash -m list",
  "git bisect view branch x",
  "git submodule foreach rm",
  "git notes add",
  "git reflog expire",
  "git remote update",
  "git remote -v update",
  "git branch -v newb",
  "git tag -n newb",
  "git diff --outp=f",
  "git config a.b c",
  "git config --unse a.b",
  "git grep -nO./x y",
  "git $X",
  "git diff *",
  "xxd -ps a b",
  "xxd -r a b",
  "xxd a b",
  "uniq a b",
  "hostname x",
  "hostname -Ff",
  "date 010203042026",
  "date -us now",
  "tree -R",
  "tree -o f",
  "lsof -Db",
  "ip -b f",
  "ip -batch f",
  "ip link s eth0 down",
  "ip link set x",
  "ss -K",
  "ss -D f",
  "less '+!rm x' f",
  "less -of g",
  "fd -Hx rm",
  "fd --exec-b rm",
  "yq -i . f",
  "yq -s . f",
  "dc -e '!rm x'",
  "file -C -m f",
  "base64 -o f g",
  "shuf -of g",
  "echo '!rm x' | dc",
  "curl x",
  "make",
  "dd if=a of=f",
  // arithmetic that is none
  "((rm x; echo '(' ); echo \")); ls '\" ) ; echo \"' #\"",
  "((rm x) )",
  "( (rm x))",
  "$((rm x) )",
  // what only looks like a blank, a comment or a word of the shell
  "ls \r#; rm x",
  "[[\u00a0; rm x; ]]",
  "ls #\nrm x",
  "ls \\#; rm x",
  "ls;rm x",
  "ls\trm;rm x",
  "case\u00a0x in; rm x",
  "ls '#'; rm x"
]

const escaping = [
  "rm /etc/x",
  "rm ~/x",
  "rm ~root/x",
  'rm "$HOME"/x',
  "rm ${HOME}/x",
  "rm ${X:-/etc}/x",
  "rm ${X:-/etc/x}",
  "rm ${X-~/y}",
  "rm /etc/$X",
  "rm ../$X",
  "rm /etc/*",
  "rm /e*/x",
  "dd if=a of=~/x",
  "dd of=/etc/x",
  "cp --target=/etc a",
  "cp --target /etc a",
  "cp -at /etc a",
  "install -d /etc/x sub",
  "chmod -w /etc/x",
  "chmod --reference=a /etc/x",
  "chown u /etc/x",
  "env -C /etc rm x",
  "env --chdir=/etc rm x",
  "builtin cd /etc && rm x",
  "bash -c 'cd /etc; rm x'",
  "cd a/b; rm ../../x",
  "cd a/b | cat; rm ../../x",
  "cd a/b & rm ../../x",
  "cd a/b || true; rm ../../x",
  "if ls; then cd a/b; fi; rm ../../x",
  "f() { cd /; }; f; rm x",
  "cd() { :; }; cd a/b; rm ../../x",
  "false && cd a/b; rm ../../x",
  "while ls; do cd /etc; done; rm x",
  "(cd a; rm ../../x)",
  "shopt -s lastpipe; ls | cd /etc; rm x",
  "pushd /etc; rm x",
  "pushd -n a/b && rm ../../x",
  "cd /etc/$X && rm y",
  "true | tee /etc/x",
  "eval 'rm /etc/x'",
  "eval rm /etc/x",
  "sh -c 'sh -c \"rm /etc/x\"'",
  "xargs rm /etc/x",
  "find /etc -delete",
  "find . -fprint /etc/x",
  "sort -o/etc/x f",
  "sort --output=/etc/x f",
  "ls > /etc/x",
  "ls >| /etc/x",
  "ls &> /etc/x",
  "ls 2> /etc/x",
  "ls <> /etc/x",
  "ls > ~/x",
  'ls > "$HOME/x"',
  "bash <<A\nrm /etc/x\nA",
  "sh <<< 'rm /etc/x'",
  "curl -o /etc/x u",
  "curl --output=/etc/x u",
  "wget -O /etc/x u",
  "wget -P /etc u",
  "tar -C /etc -xf a",
  "tar xf a -C /etc",
  "tar cf /etc/a b",
  "unzip -d /etc a",
  "rsync a /etc/",
  "split a /etc/b",
  "trap 'rm /etc/x' EXIT",
  "time rm /etc/x",
  "! rm /etc/x",
  "sed -i s/a/b/ ../x",
  "ls | sudo tee f",
  "\\sudo x",
  "'su'do x",
  "command sudo x",
  "/usr/bin/sudo x",
  'echo "${X:-$(sudo x)}"',
  "for SAFE in /etc; do rm /etc/x; done",
  "$((",
  "${",
  '"',
  "'",
  "`",
  "$(",
  "<<",
  "ls \0x"
]

describe("what hides in a command", () => {
  test(`is never taken for reading: ${hidden.length} commands`, () => {
    expect(hidden.map((command) => [command, verdict(command)]).filter(([, is]) => is === "Reads")).toEqual(
      []
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
      "grep -rn foo src/*.ts",
      "git diff HEAD -- '*.ts'",
      "hostname -f",
      "less f"
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
      `cd ${"../".repeat(2000)}`,
      "cd a;cd b;".repeat(200),
      `x=${"a[".repeat(50_000)}`,
      `ls '${"x".repeat(1_000_000)}'`,
      `echo "${"$(ls)".repeat(20_000)}"`,
      "ls \\\n".repeat(50_000),
      `bash -c '${"sh -c ".repeat(3000)}'`,
      "#".repeat(1_000_000),
      "\n".repeat(500_000),
      "a=b ".repeat(50_000),
      `awk '${"close ".repeat(20_000)}'`
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
  const piece = fc.constantFrom(
    ..."boom ls echo x ; & && || | ( ) { } (( )) $( $(( ` ' \" \\ # > < << <<< A [[ ]] [ ] if then else fi for in do done while case esac a) ;; ! f() function ${x:- ${ } = x= $x eval time * ~ , , {a,boom} -c bash".split(
      " "
    ),
    "\n",
    "\nA\n",
    " ",
    "\r",
    "'boom'",
    '"boom"',
    "x=boom",
    "$x",
    "echo ')'",
    "-eq"
  )
  const glue = fc.constantFrom(" ", " ", " ", "", "\n")

  test("nothing that runs or writes something there is judged to read", () => {
    const work = join(root, "work")
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, glue), { minLength: 1, maxLength: 14 }), (parts) => {
        const source = parts.flat().join("")
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
      { numRuns: Number(process.env.JUDGE_RUNS ?? 4000) }
    )
  }, 600_000)
})
