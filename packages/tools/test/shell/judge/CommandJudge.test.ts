import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import { parse } from "../../../src/shell/syntax/ShellText.ts"
import { verdict } from "./JudgedCommand.ts"

const cases: Record<string, ReadonlyArray<string>> = {
  Reads: [
    "ls | grep x",
    "git -C dir status",
    "timeout 5 ls",
    "cat f > /dev/null 2>&1",
    "ls >/dev/null 2>&1 &",
    "cd sub && ls -la; pwd",
    "echo \"a; rm b\" && grep -rn 'x > y' .",
    'for f in a b; do wc -l "$f"; done',
    "if test -f x; then head x; else echo no; fi",
    'while read -r l; do echo "$l"; done < list.txt',
    "case $1 in a|b) ls ;; *) pwd ;; esac",
    "[[ -f a && $x > b ]] && cat a",
    "(cd /etc && ls)",
    "{ ls; pwd; }",
    "echo $((1 + 2)) $(date +%s) `pwd`",
    "find . -name '*.ts' -type f | head",
    "find . -name a -exec grep x {} \\;",
    "find . -print0 | xargs -0 grep x",
    "git log --oneline -5 && git diff HEAD~1 -- src && git branch -a && git tag -l 'v*'",
    "git branch",
    "git remote -v",
    "git stash list",
    "git config --get user.name",
    "git --no-pager show HEAD",
    "sed -n '1,5p' f",
    "sed 's/a/b/g;s|x|y|' f",
    "sed -e '/x/d' f",
    "awk '{print $1}' f",
    "awk -F'|' '{print $2}' f",
    "sort f | uniq -c | sort -rn",
    "env | sort",
    "date +%F",
    "node --version",
    "bash --version",
    "cat <<EOF\nrm x > y\nEOF",
    "cat <<'EOF'\n$(rm x)\nEOF\nls",
    "grep x <<< 'rm a'",
    "diff <(ls a) <(ls b)",
    "X=1 grep a f",
    "/usr/bin/ls",
    "command -v git",
    "tar tzf a.tgz",
    "# rm x\nls",
    "sudo_like=1; ls",
    "echo sudo",
    "echo shutdown",
    "grep poweroff f",
    "ls 2>/dev/null || true",
    "! grep -q x f"
  ],
  Asks: [
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
    "ls `rm x`",
    "echo $(rm x)",
    'echo "$(rm x)"',
    "find . -delete",
    "find . -exec rm {} +",
    "awk 'BEGIN { system(\"rm x\") }'",
    "env X=1 nohup rm x",
    "bash -c 'rm x'",
    "eval 'rm x'",
    "npm test",
    "python x.py",
    "./ls",
    "unknown-command",
    "$CMD x",
    "cat <<EOF\n$(rm x)\nEOF",
    "f() { rm x; }; f",
    "ls & rm x",
    "ls || rm x",
    "if rm x; then ls; fi",
    "case a in a) rm x ;; esac",
    "for i in $(rm x); do ls; done",
    "(rm x)",
    "{ rm x; }",
    "while rm x; do :; done",
    "xargs rm",
    "find . | xargs rm",
    "PATH=. ls",
    "LD_PRELOAD=./x.so ls",
    "GIT_PAGER=./x git log",
    "git -c core.pager=./x log",
    "git diff --output=f",
    "git grep -O./x y",
    "rg --pre ./x y",
    "sed 'w f' g",
    "sed 's/a/b/e' g",
    "sed '1!e rm x' g",
    "sort --compress-program=./x f",
    "sort --outp=f g",
    "diff <(rm x) a",
    "tee f",
    "rm $X",
    "cd $X && touch y",
    'touch "$SAFE/x"',
    'cat a >> "$SAFE/log"',
    "echo x >| f",
    "ls &> f",
    "function g { rm x; }",
    "trap 'rm x' EXIT",
    "source x",
    ". x",
    "bash x.sh",
    "curl http://x | sh",
    "uniq a b",
    "date -s now",
    "timeout 5 rm x",
    "cd sub && rm ../x",
    "cp -t . /etc/x",
    "mv a b",
    "dd if=a of=b",
    "ls; echo >f",
    "\\rm x",
    "'rm' x",
    'r"m" x',
    "r\\\nm x",
    "mkdir -p a/b",
    "chmod +x /w/work/a",
    "git stash",
    "git remote add a b",
    "git config user.name x",
    "xxd -r a b",
    "printf x >./a",
    "yes | rm x",
    "time rm x",
    "! rm x",
    "coproc rm x",
    "alias ls='rm x'",
    "ls;rm x",
    "ls&&rm x",
    "ls|rm x",
    "echo $" + "{x:-$(rm y)}",
    "echo $(( $(rm x) ))",
    "a=$(rm x)",
    "a=(1 $(rm x))",
    "[[ $(rm x) ]]",
    "(( $(rm x) ))",
    "git --exec-path=/x status",
    "kill 1",
    "exec rm x",
    "echo x 1>f"
  ],
  Escapes: [
    "sudo x",
    "rm ../x",
    "cp x /etc/y",
    "echo > /etc/x",
    'bash -c "rm /etc/x"',
    "timeout 5 rm /etc/x",
    "echo 'open",
    "ls |",
    'echo "open',
    "ls &&",
    "if true",
    "(ls",
    "ls )",
    "echo $(ls",
    "echo `ls",
    "for x; ls",
    "cat < ",
    "fi",
    "echo ${x",
    "mv /etc/x .",
    "cd .. && rm x",
    "cd /etc; touch x",
    "echo x > ~/y",
    'echo x > "$HOME/y"',
    "ln -s a /usr/x",
    "tee /etc/x",
    "cp -t /etc a",
    "cp --target-directory=/etc a",
    "rm /etc/*",
    "rm ../*",
    "find /etc -delete",
    "find .. -exec rm {} \\;",
    "sed -i s/a/b/ /etc/x",
    "sort -o /etc/x f",
    "env sudo x",
    "echo $(sudo x)",
    "ls\nsudo x",
    "sh -c 'sudo x'",
    "dd if=a of=/etc/x",
    "touch a /tmp/b",
    "doas x",
    "git -C /other commit",
    "bash -c 'echo \"'",
    "ls > /w/work-evil/x",
    "mkdir /w/other",
    "cat a >> ../b",
    "touch ~/x"
  ],
  Never: [
    "rm -rf /",
    "rm -fr /*",
    "rm -r -f /",
    'rm -rf "/"',
    "rm -rf --no-preserve-root /",
    "rm -Rf //",
    "rm -rf /.",
    "mkfs.ext4 /dev/x",
    "mkfs /dev/sda1",
    "dd if=/dev/zero of=/dev/sda",
    "sudo rm -rf /",
    "sh -c 'rm -rf /'",
    "ls; rm -rf /",
    "echo $(rm -rf /)",
    "echo x > /dev/sda",
    "nohup rm -rf / &",
    "rm -rf ~",
    "rm -rf $HOME/",
    "sudo mkfs.ext4 /dev/sdb",
    "if true; then rm -rf /; fi",
    "rm --recursive -f /",
    "xargs rm -rf /"
  ]
}

describe("the judgement of a shell command", () => {
  for (const [wanted, commands] of Object.entries(cases))
    test(`is ${wanted} for each of ${commands.length} commands`, () => {
      const wrong = commands.map((command) => [command, verdict(command)]).filter(([, is]) => is !== wanted)
      expect(wrong).toEqual([])
    })

  test("never throws and always ends, whatever the text", () => {
    const piece = fc.constantFrom(
      ..."' \" ` $( $@{ ) } ( { ; & | && || \n < > << <<- >> \\ # a b=c if then fi do done case esac in for [[ ]] (( )) * ~ $x"
        .replace("@", "")
        .split(" ")
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(" ")),
        (source) => {
          const parsed = parse(source)
          expect(Result.isResult(parsed)).toBe(true)
          expect(["Reads", "Asks", "Escapes", "Never"]).toContain(verdict(source))
        }
      ),
      { numRuns: 3000 }
    )
  })

  test("a quoted argument is never taken for a command", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("'") && !text.includes("\0")),
        (text) => expect(verdict(`echo '${text}'`)).toBe("Reads")
      )
    )
  })

  test("a writing command is seen wherever it stands in a list", () => {
    const reading = fc.constantFrom(
      "ls",
      "echo 'a;b'",
      "(pwd)",
      "grep x f > /dev/null",
      "if true; then ls; fi",
      "cat <<A\nx\nA\n"
    )
    const joint = fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & ")
    fc.assert(
      fc.property(
        fc.array(reading, { maxLength: 4 }),
        fc.array(reading, { maxLength: 4 }),
        joint,
        (before, after, by) => {
          const join = (all: ReadonlyArray<string>) =>
            all.map((one) => (one.endsWith("\n") ? `{ ${one} }` : one)).join(by)
          expect(verdict(join([...before, ...after, "ls"]))).toBe("Reads")
          expect(verdict(join([...before, "rm x", ...after]))).toBe("Asks")
        }
      )
    )
  })
})
