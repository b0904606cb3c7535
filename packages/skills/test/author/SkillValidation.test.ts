import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { SkillValidation } from "../../src/index.ts"
import { withHome } from "../SkillHome.ts"

const check = (text: string, folder = "tea") =>
  Effect.runPromise(SkillValidation.check(text, folder)).then((problems) =>
    problems.map(({ line, message, severity }) => `${severity} ${line}: ${message}`)
  )

const file = (lines: ReadonlyArray<string>) => ["---", ...lines, "---", "# Body", ""].join("\n")
const named = (name: string, more: ReadonlyArray<string> = []) =>
  file([`name: ${name}`, "description: Makes tea.", ...more])

describe("strict validation", () => {
  test("takes all six fields within their bounds", async () => {
    const fields = [
      "license: MIT",
      "compatibility: Needs a kettle.",
      "metadata:",
      '  version: "1.0"',
      "allowed-tools: Bash(git:*) Read"
    ]
    expect(await check(named("tea", fields))).toEqual([])
  })

  test.each(["user-invocable", "disable-model-invocation", "requires", "version", "x-foo"])(
    "names the unexpected field %s with its line",
    async (field) => {
      const [problem, ...rest] = await check(named("tea", [`${field}: true`]))
      expect(problem).toStartWith(`error 4: unexpected field "${field}"`)
      expect(rest).toEqual([])
    }
  )

  test.each([
    ['""', /empty/],
    ["a".repeat(65), /65 characters/],
    ["Tea", /lower case/],
    ["-tea", /begin or end/],
    ["tea-", /begin or end/],
    ["tea--pot", /two hyphens/],
    ["tea_pot", /only letters/],
    ["tea pot", /only letters/],
    ["НАВЫК", /lower case/],
    ["[tea]", /no text/]
  ])("refuses the name %s", async (name, reason) => {
    const problems = await check(named(name), name.replace(/^"|"$/g, ""))
    const errors = problems.filter((one) => one.startsWith("error 2: "))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(reason)
  })

  test("wants the name of the folder, compared in one Unicode form", async () => {
    expect(await check(named("tea"), "coffee")).toEqual([
      'error 2: the name "tea" must be that of its folder, "coffee"'
    ])
    const problems = await check(named("cafe\u0301"), "caf\u00e9")
    expect(problems.filter((one) => one.startsWith("error"))).toEqual([])
  })

  test.each(["技能", "мой-навык", "навык"])("takes the name %s with a warning", async (name) => {
    const problems = await check(named(name), name)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith("warning 2: ")
  })

  test("takes a name that YAML would read as a number", async () => {
    expect(await check(named("3000"), "3000")).toEqual([])
  })

  test("wants a description of 1 to 1,024 characters", async () => {
    const described = (value: string) => check(file(["name: tea", `description: ${value}`]))
    expect(await described("d".repeat(1024))).toEqual([])
    expect(await described("😀".repeat(1024))).toEqual([])
    expect(await described("d".repeat(1025))).toEqual([
      "error 3: the description has 1025 characters; at most 1024 are allowed"
    ])
    for (const value of ["", '"  "', "[a, b]", "{a: b}"])
      expect(await described(value)).toEqual(["error 3: the description is empty or no text"])
    expect(await check(file(["name: tea"]))).toEqual(["error 1: the description is missing"])
  })

  test("takes a compatibility of at most 500 characters, empty included", async () => {
    const compatible = (value: string) => check(named("tea", [`compatibility: ${value}`]))
    for (const value of ["", '""', "c".repeat(500)]) expect(await compatible(value)).toEqual([])
    expect(await compatible("c".repeat(501))).toEqual([
      "error 4: compatibility has 501 characters; at most 500 are allowed"
    ])
    expect(await compatible("[a]")).toEqual(["error 4: compatibility must be a text"])
  })

  test("is strict where loading is lenient, with the line", async () => {
    expect(await check(file(["name: tea", "description: Use when: x"]))).toEqual([
      expect.stringMatching(/^error 3: .*"description"/)
    ])
    expect(await check(`\uFEFF${named("tea")}`)).toEqual([expect.stringMatching(/^error 1: .*byte-order/)])
    expect(await check("---\nname: tea\n")).toEqual([expect.stringMatching(/^error 1: .*never closed/)])
    expect(await check("# Tea\n")).toEqual([expect.stringMatching(/^error 1: no frontmatter/)])
    expect(await check(named("tea", ["license: A", "license: B"]))).toEqual([
      expect.stringMatching(/^error 5: .*twice/)
    ])
    expect(await check(named("tea").replace("---", "---yaml"))).toEqual([
      "error 1: the first line must be exactly ---"
    ])
    expect(await check(named("tea").replace("---", "---js"))).toEqual([expect.stringMatching(/only YAML/)])
  })

  test("reads a value with three dashes whole", async () => {
    expect(await check(file(["name: tea", "description: a --- b"]))).toEqual([])
  })

  test("takes CRLF line ends", async () => {
    expect(await check(named("tea").replaceAll("\n", "\r\n"))).toEqual([])
  })

  test("warns where the specification wants texts", async () => {
    const nested = ["metadata:", "  cow:", "    requires: {bins: [git]}", "allowed-tools: [Read, Bash]"]
    const problems = await check(named("tea", nested))
    expect(problems).toEqual([
      expect.stringMatching(/^warning 4: metadata: .*cow/),
      expect.stringMatching(/^warning 7: allowed-tools is a list/)
    ])
    expect(await check(named("tea", ["allowed-tools: {a: b}"]))).toEqual([
      "error 4: allowed-tools must be a text or a list of texts"
    ])
  })

  test("reports all problems, in the order of their lines", async () => {
    const problems = await check(file(["version: 1", "name: Tea_", 'description: ""', "extra: x"]), "other")
    expect(problems.map((one) => one.slice(0, 8))).toEqual([
      "error 2:",
      "error 3:",
      "error 3:",
      "error 3:",
      "error 4:",
      "error 5:"
    ])
  })

  test("warns of a value that looks like a secret, with its line and masked", async () => {
    const text = `${named("tea")}Call it with token: ghp_0123456789abcdefABCDEF\n`
    expect(await check(text)).toEqual([
      "warning 6: this looks like a secret: ghp_********; a skill must hold none"
    ])
  })
})

describe("what is validated", () => {
  const verdict = (path: string) =>
    Effect.map(SkillValidation.read(path), ({ problems, valid }) => [valid, problems.length])

  test("is a folder or its SKILL.md; skill.md is valid with a warning", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const upper = yield* home.write("tea/SKILL.md", named("tea"))
        const lower = yield* home.write("lower/tea/skill.md", named("tea"))
        yield* home.write("tea/notes.md", "x")
        yield* home.write("none/readme.md", "x")
        expect(yield* verdict(`${home.root}/tea`)).toEqual([true, 0])
        expect(yield* verdict(upper)).toEqual([true, 0])
        expect(yield* verdict(`${home.root}/lower/tea`)).toEqual([true, 1])
        expect(yield* verdict(lower)).toEqual([true, 1])
        for (const path of ["none", "nowhere", "tea/notes.md"])
          expect(yield* verdict(`${home.root}/${path}`)).toEqual([false, 1])
      })
    ))

  test("that is not UTF-8 or cannot be read is not valid", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* home.write("tea/SKILL.md", new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xe9]))
        expect(yield* verdict(`${home.root}/tea`)).toEqual([false, 1])
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${home.root}/odd/SKILL.md`, { recursive: true })
        expect(yield* verdict(`${home.root}/odd`)).toEqual([false, 1])
      })
    ))
})
