// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in settings
import { describe, expect, test } from "bun:test"
import * as Redacted from "effect/Redacted"
import { environmentOf, expanded } from "../../src/settings/ModelChoice.ts"

describe("ModelChoice", () => {
  test("variables are filled into a provider's address, key and headers in every form", () => {
    const { entries, warnings } = expanded(
      {
        x: {
          type: "openai-compatible",
          base_url: "http://${HOST_X}:${PORT_X:-80}/v1",
          api_key: "${env:KEY_X}",
          headers: { "X-Team": "${TEAM_X:-none}" }
        }
      },
      { HOST_X: "h", KEY_X: "k" }
    )
    expect(warnings).toEqual([])
    expect(entries.x).toMatchObject({
      type: "openai-compatible",
      baseUrl: "http://h:80/v1",
      headers: { "X-Team": "none" }
    })
    expect(Redacted.value(entries.x?.apiKey as Redacted.Redacted<string>)).toBe("k")
  })

  test("a missing variable is named and the value left out", () => {
    const { entries, warnings } = expanded({ x: { type: "openai", api_key: "${NOT_SET_X}" } }, {})
    expect(entries.x).toEqual({ type: "openai" })
    expect(warnings).toEqual(["providers.x.api_key needs NOT_SET_X, which is not set"])
  })

  test("a built-in provider needs no type, any other does", () => {
    const { entries, warnings } = expanded({ anthropic: { api_key: "k" }, other: { api_key: "k" } }, {})
    expect(entries.anthropic?.type).toBe("anthropic")
    expect(entries.other).toBeUndefined()
    expect(warnings.join()).toContain("providers.other")
  })

  test("keys and addresses of the environment go to their providers, empty ones count as not set", () => {
    const environment = environmentOf({
      ANTHROPIC_API_KEY: "a",
      OPENAI_API_KEY: "",
      OPENAI_BASE_URL: "http://o/v1"
    })
    expect(Redacted.value(environment.anthropic?.apiKey as Redacted.Redacted<string>)).toBe("a")
    expect(environment.openai).toEqual({ baseUrl: "http://o/v1" })
    expect(environment.google).toEqual({})
  })
})
