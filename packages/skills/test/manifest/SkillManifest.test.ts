import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { read as readManifest } from "../../src/manifest/SkillManifest.ts"

const read = (text: string, folder = "x") => Effect.runPromise(readManifest(text, folder))
const refused = (text: string, folder = "x") => Effect.runPromise(Effect.flip(readManifest(text, folder)))
const metadata = async (value: string) => {
  const { metadata, warnings } = await read(`---\nname: x\ndescription: d\nmetadata: ${value}\n---\n`)
  return { ...metadata, ...metadata.requires, warnings }
}

describe("name and description", () => {
  test("without a description there is no skill and the reason names it", async () => {
    for (const description of [
      "",
      "description:",
      'description: "  "',
      "description: ~",
      "description: {a: b}"
    ])
      expect((await refused(`---\nname: mute\n${description}\n---\n`)).message).toBe(
        'skill "mute" has no description'
      )
  })

  test("a skill without a name is called like its folder", async () => {
    for (const name of ["", "name: ~\n", 'name: ""\n'])
      expect((await read(`---\n${name}description: d\n---\n`, "folder")).name).toBe("folder")
  })

  test("lists and plain scalars become text", async () => {
    const list = await read("---\nname: [x, y]\ndescription: [a, b]\n---\n")
    expect([list.name, list.description]).toEqual(["x", "a b"])
    expect((await read("---\nname: 3000\ndescription: 1.50\n---\n")).name).toBe("3000")
    expect((await read("---\nname: yes\ndescription: d\n---\n")).name).toBe("yes")
  })

  test("names are compared in one Unicode form", async () => {
    const [nfd, nfc] = ["größe".normalize("NFD"), "größe".normalize("NFC")]
    expect((await read(`---\nname: ${nfd}\ndescription: d\n---\n`, nfc)).name).toBe(nfc)
    expect((await read("---\nname: 知识库整理\ndescription: d\n---\n")).name).toBe("知识库整理")
  })

  test("a name that could be a path is refused", async () => {
    for (const name of [
      "../../evil",
      "a/b",
      "a\\\\b",
      "..",
      ".",
      "／etc",
      "__proto__",
      "constructor",
      "a\\u0007b"
    ])
      expect((await refused(`---\nname: "${name}"\ndescription: d\n---\n`)).message).toContain(
        "is not allowed"
      )
  })

  test("upper case, over-long or unlike its folder loads with one warning each", async () => {
    const warnings = async (name: string, folder: string, description = "d") =>
      (await read(`---\nname: ${name}\ndescription: ${description}\n---\n`, folder)).warnings.length
    expect(await warnings("x", "x")).toBe(0)
    expect(await warnings("Xy", "Xy")).toBe(1)
    expect(await warnings("y", "x")).toBe(1)
    expect(await warnings("a".repeat(65), "a".repeat(65))).toBe(1)
    expect(await warnings("x", "x", "d".repeat(1025))).toBe(1)
    expect(await warnings("x", "x", "d".repeat(1024))).toBe(0)
  })

  test("only a word that means yes keeps a skill from the model", async () => {
    const hidden = async (value: string) =>
      (await read(`---\nname: x\ndescription: d\ndisable-model-invocation: ${value}\n---\n`)).hidden
    for (const word of ["yes", "true", "1", "On", "' TRUE '"]) expect(await hidden(word)).toBe(true)
    for (const word of ["no", "false", "maybe", "~", "[]"]) expect(await hidden(word)).toBe(false)
  })

  test("requirements outside metadata have no effect and say where they belong; other keys are let be", async () => {
    const { metadata, warnings } = await read(
      "---\nname: x\ndescription: d\nlicense: MIT\nallowed-tools: bash\nrequires: {bins: [nope]}\nos: [win32]\nalways: true\n---\n"
    )
    expect(metadata).toMatchObject({ always: false, os: [], requires: { bins: [] } })
    expect(warnings.map((warning) => warning.split(" ")[0])).toEqual(['"requires"', '"always"', '"os"'])
  })

  test("the set-up is the first six lines of its section, at most 300 characters", async () => {
    const setup = async (body: string) => (await read(`---\nname: x\ndescription: d\n---\n${body}`)).setup
    expect(await setup("# T\n\n## Setup\n\nline1\n\nline2\n### More\nline3\n\n## Next\nno\n")).toBe(
      "line1 line2 ### More line3"
    )
    expect(await setup("## Setup\n1\n2\n3\n4\n5\n6\n7\n")).toBe("1 2 3 4 5 6")
    expect([...(await setup(`## Setup\n${"é".repeat(400)}\n`))].length).toBe(300)
    expect(await setup("# T\nSetup\n")).toBe("")
  })
})

describe("metadata", () => {
  test("requirements are found bare, below each namespace, dotted, and as JSON in a string", async () => {
    for (const value of [
      "{requires: {bins: [git]}}",
      "{cow: {requires: {bins: [git]}}}",
      "{cowagent: {requires: {bins: git}}}",
      "{cow.requires.bins: git}",
      "{cow.requires: {bins: [git]}}",
      `'{"openclaw":{"requires":{"bins":["git"]}}}'`,
      `{openclaw: '{"requires":{"bins":["git"]}}', x: 1}`
    ]) {
      const { bins, warnings } = await metadata(value)
      expect(bins).toEqual(["git"])
      expect(warnings).toEqual([])
    }
  })

  test("every kind of requirement is read, names parted by commas or blanks", async () => {
    const value = `{cowagent: {always: true, os: [macOS, linux, Windows], primaryEnv: K, requires: {anyBins: "rg, grep", env: K, anyEnv: "A B"}}}`
    expect(await metadata(value)).toMatchObject({
      always: true,
      os: ["darwin", "linux", "win32"],
      primaryEnv: "K",
      anyBins: ["rg", "grep"],
      env: ["K"],
      anyEnv: ["A", "B"]
    })
  })

  test("per key the first namespace counts", async () => {
    const value = "{cow: {requires: {env: [A]}}, openclaw: {requires: {env: [B]}, emoji: E}}"
    expect(await metadata(value)).toMatchObject({ env: ["A"], emoji: "E" })
  })

  test("what is no metadata gives none, and a warning", async () => {
    for (const value of ["not json", "7", "[a]"]) {
      const { bins, warnings } = await metadata(value)
      expect([bins, warnings.length]).toEqual([[], 1])
    }
  })

  test("requirements of a wrong shape count as empty, and warn", async () => {
    expect((await metadata("{requires: [curl]}")).warnings.length).toBe(1)
    const bins = await metadata("{requires: {bins: 5}}")
    expect([bins.bins, bins.warnings.length]).toEqual([[], 1])
    const env = await metadata('{requires: {env: [A, "", null, 7]}}')
    expect([env.env, env.warnings]).toEqual([["A", "7"], []])
    expect((await metadata("{requires: {config: [x]}}")).warnings.join()).toContain("requires.config")
  })

  test("a text that says false is false", async () => {
    expect(await metadata('{always: "false", default_enabled: "false"}')).toMatchObject({
      always: false,
      defaultEnabled: false
    })
    expect((await metadata("{cow.always: 'true'}")).defaultEnabled).toBe(true)
  })

  test("install hints of a wrong shape are passed over", async () => {
    const { install } = await metadata(
      '{install: [{type: BREW, formula: jq}, {kind: ""}, "x", {kind: null}]}'
    )
    expect(install).toEqual([{ kind: "brew", fields: { formula: "jq" } }])
  })
})
