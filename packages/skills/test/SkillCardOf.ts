/** A skill as the catalogue gives it, for tests of pure parts. */
import type { Skill } from "../src/index.ts"
import * as SkillMetadata from "../src/manifest/SkillMetadata.ts"

export const skillOf = (name: string, description: string, more: Partial<Skill> = {}, setup = ""): Skill => ({
  name,
  description,
  source: "user",
  path: `/s/${name}/SKILL.md`,
  base_dir: `/s/${name}`,
  enabled: true,
  trusted: true,
  available: true,
  missing: SkillMetadata.noNeeds,
  reason: null,
  platformFits: true,
  installed: false,
  manifest: {
    name,
    description,
    hidden: false,
    metadata: SkillMetadata.none,
    toolNames: [],
    allowedTools: [],
    setup,
    warnings: []
  },
  ...more
})
