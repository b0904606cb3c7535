import { describe, expect, test } from "bun:test"
import { SkillSearch } from "../../src/index.ts"

const skills = [
  { name: "pdf-forms", description: "Fills in forms." },
  { name: "letters", description: "Writes letters and saves them as PDF." },
  { name: "tea", description: "Makes tea, green or black." },
  { name: "代码审查", description: "审查代码" }
]

const names = (query: string) => SkillSearch.search(query, skills).map(({ skill }) => skill.name)

describe("searching skills", () => {
  test("puts a word of the name before one of the description", () => {
    expect(names("pdf")).toEqual(["pdf-forms", "letters"])
  })

  test("takes other forms of a word, and other scripts", () => {
    expect(names("letter")).toEqual(["letters"])
    expect(names("代码")).toEqual(["代码审查"])
  })

  test("gives nothing for what no skill speaks of", () => {
    expect(names("zeppelin")).toEqual([])
    expect(names("")).toEqual([])
  })
})
