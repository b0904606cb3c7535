/** What is wrong with a body or a query, in one line: each place and what is expected there. Pure. */
import * as SchemaIssue from "effect/SchemaIssue"

const issues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "MissingKey":
        return "is missing"
      case "UnexpectedKey":
        return "there is no such field"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

/** More would be no line any more. */
const maxNamed = 5

/** `prompt: is missing; perssona: there is no such field`. @param whole how the whole is called, as `body` */
export const describe = (issue: SchemaIssue.Issue, whole: string): string => {
  const all = issues(issue).issues.map(({ message, path = [] }) => {
    const place = path.map((key) => String(typeof key === "object" ? key.key : key)).join(".")
    return `${place === "" ? whole : place}: ${message.replace(/\s+/g, " ")}`
  })
  const more = all.length - maxNamed
  return all.slice(0, maxNamed).join("; ") + (more > 0 ? `; and ${more} more` : "")
}
