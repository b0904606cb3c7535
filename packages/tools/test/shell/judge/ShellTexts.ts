// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts for a shell
/** Arbitraries of shell texts, sound and broken, in which `boom` may run: for the tests of the judge. */
import fc from "fast-check"

const words =
  "boom ls echo x a 0 1 ; & && || | |& ( ) { } (( )) $( $(( ` ' \" \\ # > < << <<< A [[ ]] [ ] if then else fi for in do done while until case esac a) ;; ;& ! f() function ${x:- ${x:+ ${x# ${x/ ${ } = x= x+= a[ ]= a=( $x ${y[ ${!x} ${x@P} eval time * ~ , , {a,boom} {1..2} -c bash sh + - $1 $_ $* declare -a -i printf -v read let test @( !( {fd}> 2>&1 >& &> <> >| <( >( coproc command exec trap EXIT export unset cd . set -- find -exec \\; sort -o env".split(
    " "
  )

const piece = fc.constantFrom(
  ...words,
  ...["\n", "\nA\n", "\n\tA\n", "\nAB\n", " ", "\r", "\t", "\v", "\u00a0", "é"],
  ...["'boom'", '"boom"', "x=boom", "$(boom)", "`boom`", "echo ')'", "-eq", "'a[$(boom)]'", "x='a[$(boom)]'"],
  ...["<<A", "<<-A", "<<'A'", '<<"A"', "<<\\A", "<<A\\\nB", "<<$x", "<<-'\tA'"],
  ...[
    "$'",
    '$"',
    "$\\\n(",
    "\\\n",
    "\\'",
    '\\"',
    "\\`",
    "\\$",
    "\\\\",
    "'e boom'",
    "'BEGIN{system(\"boom\")}'"
  ]
)
const glue = fc.constantFrom(" ", " ", " ", "", "", "\n")

/** Places where a text stands in another one. */
const frames: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => `echo "${text}"`,
  (text) => `echo "\${x:-${text}}"`,
  (text) => `echo \${x:-${text}}`,
  (text) => `cat <<A\n${text}\nA\n`,
  (text) => `cat <<A\n\${x:-${text}}\nA\n`,
  (text) => `cat <<'A'\n${text}\nA\n`,
  (text) => `cat <<-A\n${text}\n\tA\n`,
  (text) => `echo $((${text}))`,
  (text) => `((${text}))`,
  (text) => `[[ ${text} ]]`,
  (text) => `echo \`${text}\``,
  (text) => `echo "\`${text}\`"`,
  (text) => `echo $(${text})`,
  (text) => `a=(${text})`,
  (text) => `case x in ${text} esac`,
  (text) => `bash -c '${text}'`,
  (text) => `sh -c '${text}'`,
  (text) => `x='a[$(boom)]'; ${text}`
]
const frame = fc.constantFrom(...frames)

/** Any text, one place deep or two. */
export const anyText = fc
  .tuple(fc.array(fc.tuple(piece, glue), { minLength: 1, maxLength: 14 }), frame, frame, fc.boolean())
  .map(([parts, inner, outer, isDeep]) => {
    const text = inner(parts.flat().join(""))
    return isDeep ? outer(text) : text
  })

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Places in which a command surely runs. */
const running: ReadonlyArray<(command: string) => string> = [
  (command) => `$(\n${command}\n)`,
  (command) => `echo "$(\n${command}\n)"`,
  (command) => `echo "\${x:-$(\n${command}\n)}"`,
  (command) => `echo \${x:+$(\n${command}\n)}`,
  (command) => `echo "a\${x%"$(\n${command}\n)"}"`,
  (command) => `echo $(( $(\n${command}\n) + 1 ))`,
  (command) => `a=(b $(\n${command}\n))`,
  (command) => `a[$(\n${command}\n)]=1`,
  (command) => `x=$(\n${command}\n) ls`,
  (command) => `cat <(\n${command}\n)`,
  (command) => `cat <<< "$(\n${command}\n)"`,
  (command) => `cat <<END\n$(\n${command}\n)\nEND\n`,
  (command) => `cat < $(\n${command}\n)`,
  (command) => `[[ -n $(\n${command}\n) ]]`,
  (command) => `case $(\n${command}\n) in x) ls ;; esac`,
  (command) => `for i in $(\n${command}\n); do ls; done`,
  (command) => `case x in x)\n${command}\n;; esac`,
  (command) => `if ls; then\n${command}\nfi`,
  (command) => `if ls; then ls; elif\n${command}\nthen ls; fi`,
  (command) => `while\n${command}\ndo ls; done`,
  (command) => `until ls; do\n${command}\ndone`,
  (command) => `for ((i=0;i<2;i++)); do\n${command}\ndone`,
  (command) => `{\n${command}\n} | cat`,
  (command) => `(\n${command}\n) 2>&1`,
  (command) => `f() {\n${command}\n}; f`,
  (command) => `function f {\n${command}\n} ; f`,
  (command) => `! {\n${command}\n}`,
  (command) => `time {\n${command}\n}`,
  (command) => `coproc {\n${command}\n}`,
  (command) => `ls &&\n${command}`,
  (command) => `ls # '\n${command}`,
  (command) => `ls &\n${command}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `bash -c ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`
]

/** Each of the commands where it runs, up to three places deep. */
export const hiding = (commands: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...commands), fc.array(fc.constantFrom(...running), { maxLength: 3 }))
    .map(([command, places]) => places.reduce((inner, place) => place(inner), command))
