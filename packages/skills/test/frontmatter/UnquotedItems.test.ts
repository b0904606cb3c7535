import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type Frontmatter, type FrontmatterInvalid, parseFrontmatter } from "../../src/index.ts"
import { read as readManifest } from "../../src/manifest/SkillManifest.ts"

const gate = { requires: { env: ["K"] } }
const file = (...lines: ReadonlyArray<string>): string =>
  `---\nname: x\n${lines.join("\n")}\nlicense: MIT\nmetadata:\n  requires:\n    env: [K]\n---\nbody\n`
const read = (...lines: ReadonlyArray<string>): Promise<Frontmatter> =>
  Effect.runPromise(parseFrontmatter(file(...lines)))
const bare = (...lines: ReadonlyArray<string>): Promise<Frontmatter> =>
  Effect.runPromise(parseFrontmatter(`---\nname: x\n${lines.join("\n")}\n---\n`))
const refused = (...lines: ReadonlyArray<string>): Promise<FrontmatterInvalid> =>
  Effect.runPromise(Effect.flip(parseFrontmatter(`---\nname: x\n${lines.join("\n")}\n---\n`)))

/** What an author writes, and what is meant. */
const values: ReadonlyArray<readonly [written: string, meant: unknown]> = [
  ["[*.md, *.ts]", ["*.md", "*.ts"]],
  ["[*]", ["*"]],
  ["[**/*.md, src/*.ts]", ["**/*.md", "src/*.ts"]],
  ["[*.md files, 'a, b', \"c\"]", ["*.md files", "a, b", "c"]],
  ["[*.{md,ts}, x{1}]", ["*.{md,ts}", "x{1}"]],
  ["[@x, %y, `z`, !bash, &b, &c d]", ["@x", "%y", "`z`", "!bash", "&b", "&c d"]],
  ["[#1, b]", ["#1", "b"]],
  ['["a" b, c]', ['"a" b', "c"]],
  ["[Use when: the: user, *: d, x]", ["Use when: the: user", "*: d", "x"]],
  ["[*.md x, [@y], {on: *.ts, off: %z}]", ["*.md x", ["@y"], { on: "*.ts", off: "%z" }]],
  ["[*.md, a] # two", ["*.md", "a"]],
  ["{a: *.md, b: *, c: '*'}", { a: "*.md", b: "*", c: "*" }],
  ["{*.md}", { "*.md": null }],
  ["{<<: *x}", { "<<": "*x" }],
  ["*.md", "*.md"],
  ["[\n  *.md x, # the first\n  @b\n]", ["*.md x", "@b"]],
  ["\n- *\n- *.md\n- **/*.md\n- *.md files", ["*", "*.md", "**/*.md", "*.md files"]],
  ["\n  # both\n  - @x\n  # and\n  - !y\n  - z # no more", ["@x", "!y", "z"]],
  ["\n  - *.md\n    and more\n  - b", ["*.md and more", "b"]],
  ["\n  - [*.md x, y]\n  - path: *.md x\n    to: @b", [["*.md x", "y"], { path: "*.md x", to: "@b" }]],
  ["\n  - |\n    *.md: @x\n  - @y", ["*.md: @x\n", "@y"]],
  ["\n  on: *.md files\n  off: [@x]", { on: "*.md files", off: ["@x"] }]
]

describe("an item that is no YAML is kept as the text it is, and the list stays one", () => {
  for (const [written, meant] of values)
    test(JSON.stringify(written), async () => {
      for (const field of ["tools", "paths", "x-any"]) {
        const { data, notes } = await read(`${field}: ${written}`)
        expect(data).toEqual({ name: "x", [field]: meant, license: "MIT", metadata: gate })
        expect(notes.length).toBeGreaterThan(0)
        const lines = written.split("\n").length
        for (const { line, message, readable } of notes) {
          expect(line >= 3 && line < 3 + lines && message.includes(`"${field}"`)).toBe(true)
          expect(readable).toBeUndefined()
        }
      }
    })

  test("also below metadata", async () => {
    for (const written of ["[*.md, @x]", "[*.md x, b]", "\n    - *.md x\n    - @b", "{a: *.md}"]) {
      const { data, notes } = await bare("metadata:", "  requires: {env: [K]}", `  globs: ${written}`)
      expect(data.metadata).toMatchObject(gate)
      expect(JSON.stringify(data.metadata)).toContain("*.md")
      expect(notes.length).toBeGreaterThan(0)
    }
  })

  test("in a field of one text the whole is the text", async () => {
    for (const written of ["[*.md, *.ts]", "[*]", "{a: *.md}", "[!a, b]", "[&a, b]", "[@a, b]"])
      for (const field of ["description", "compatibility"]) {
        const { data, notes } = await read(`${field}: ${written}`)
        expect(data[field]).toBe(written)
        expect(notes.map(({ line }) => line)).toEqual([3])
      }
    expect((await read("description:", "  - *.md", "  - b")).data.description).toBe("- *.md - b")
  })

  test("a skill is loaded with all its fields", async () => {
    const skill = await Effect.runPromise(
      readManifest(
        file("description: [*.md, *.ts]", "allowed-tools: [*, read]", "tool_names: [@x/y, read]"),
        "x"
      )
    )
    expect(skill).toMatchObject({
      name: "x",
      description: "[*.md, *.ts]",
      allowedTools: ["*", "read"],
      toolNames: ["@x/y", "read"],
      metadata: { requires: { env: ["K"] } }
    })
    expect(skill.warnings.map((warning) => warning.slice(0, 7))).toEqual(["line 3:", "line 4:", "line 5:"])
  })

  test("an alias with its anchor, a known tag and a comment are YAML, without a note", async () => {
    const { data, notes } = await read("a: &a [b]", "tools: [*c, d]", "e: [*a, !!str 5] # f").catch(() => ({
      data: undefined,
      notes: undefined
    }))
    expect(data).toMatchObject({ tools: ["*c", "d"], e: [["b"], "5"] })
    expect(notes?.map(({ line }) => line)).toEqual([4])
  })
})

describe("of a requirement nothing is guessed", () => {
  test("a name that is no YAML is one that nobody has", async () => {
    for (const bins of ["[*]", "[*.md, @x]", "[!git]", "[* x]", "\n      - *\n      - !git", "*x"]) {
      const skill = await Effect.runPromise(
        readManifest(`---\nname: x\ndescription: d\nmetadata:\n  requires:\n    bins: ${bins}\n---\n`, "x")
      )
      expect(skill.metadata.requires.bins[0]).toMatch(/^[*!]/)
      expect(skill.warnings.length).toBe(1)
    }
  })

  test("what could stand for a map of requirements is refused, with its line", async () => {
    for (const value of [
      "metadata: *m",
      "metadata: {cow: *m}",
      "metadata: {requires: *m}",
      "metadata: {cow.requires: *m}",
      "metadata: {<<: *m}",
      "metadata: {<<: [*m]}",
      "metadata: {*m : {env: [K]}}",
      "metadata: {requires: !m}",
      "metadata: {requires: {env: [K]} x}",
      "metadata: {note: @x requires: {env: [K]}}",
      'metadata: {note: "a, requires: {env: [K]}, b: "c"}',
      "metadata: {requires: [K] x}",
      "<<: *m"
    ]) {
      const error = await refused(value)
      expect([value, error.reason, error.line]).toEqual([value, "unreadable", 3])
    }
  })

  test("whatever stands before it", async () => {
    const sign = fc.constantFrom(..."#:*&!|>'\"%@`{}[],?- \n\tab".split(""), "\n  ", "\n- ", "\n  - ", ": ")
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: sign, maxLength: 16 }), async (value) => {
        const text = value.replace(/\n(?=\S)/g, "\n ").replaceAll("---", "--")
        const result = await Effect.runPromise(Effect.result(parseFrontmatter(file(`tools: ${text}`))))
        if (result._tag === "Success") expect(result.success.data.metadata).toEqual(gate)
      }),
      { numRuns: 400 }
    )
  })
})

test("any words with any signs come back as the items they are, in brackets and below dashes", async () => {
  const word = fc.stringMatching(/^[*@%`!&a][*@%`!&/.a]{0,4}( [ab.*@!&]{1,3})?$/)
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 5 }), async (items) => {
      // One may name what another points to.
      fc.pre(
        !items.some((one) => /[&*]/.test(one) && items.some((other) => other !== one && /[&*]/.test(other)))
      )
      for (const lines of [
        [`tools: [${items.join(", ")}]`],
        ["tools:", ...items.map((item) => `  - ${item}`)]
      ]) {
        const { data } = await read(...lines)
        expect(data).toEqual({ name: "x", tools: items, license: "MIT", metadata: gate })
      }
    }),
    { numRuns: 200, examples: [[["!!&"]]] }
  )
})

test("a block of nothing but signs is read in time that grows with its length", async () => {
  await bare("a: {}")
  for (const lines of [
    ["x: [@, a", " ".repeat(30_000), "b]"],
    [`x: [@, a${" ".repeat(30_000)}b]`],
    [`x: ["a", b${" ".repeat(30_000)}c]`],
    [`a${" ".repeat(30_000)}b: c: d`],
    [`x: [${"&".repeat(30_000)}]`],
    [`x: [${"!&".repeat(15_000)} ]`],
    [`x: [@, "${"\\".repeat(30_000)}]`]
  ]) {
    const before = performance.now()
    await Effect.runPromise(Effect.result(parseFrontmatter(`---\nname: x\n${lines.join("\n")}\n---\n`)))
    expect(performance.now() - before).toBeLessThan(1000)
  }
  const before = performance.now()
  await Effect.runPromise(Effect.flip(parseFrontmatter(`--- a${" ".repeat(2e6)}b\nname: x\n---\n`)))
  expect(performance.now() - before).toBeLessThan(1000)
})
