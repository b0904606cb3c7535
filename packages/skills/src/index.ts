/** The public face of `@cow/skills`: the catalogue, its layers in core's ports, and the one parser of skill files. */

export * as AssignedSkill from "./access/AssignedSkill.ts"
export { type Distrust, TrustRecord } from "./access/SkillTrust.ts"
export * as SkillSkeleton from "./author/SkillSkeleton.ts"
export * as SkillValidation from "./author/SkillValidation.ts"
export { type FileStamp, isDirectory, isSettled } from "./discovery/FileStamp.ts"
export type { OpenDisk, SkillDisk } from "./discovery/SkillDisk.ts"
export * as SkillDiskNode from "./discovery/SkillDiskNode.ts"
export {
  type Frontmatter,
  type FrontmatterNote,
  parse as parseFrontmatter
} from "./frontmatter/Frontmatter.ts"
export { FrontmatterInvalid } from "./frontmatter/FrontmatterFence.ts"
export { type DownloadRequest, type Network, SkillDownloads } from "./install/fetch/SkillDownloads.ts"
export type {
  Installed,
  InstallOptions,
  InstallReport,
  Updated,
  UpdateOptions
} from "./install/Installation.ts"
export { NotRemovable, SkillReadOnly, TrustRefused } from "./install/InstalledRefused.ts"
export type { SkillInfo } from "./install/InstalledSkill.ts"
export { InstallMark } from "./install/InstallMark.ts"
export { InstallCode, InstallRefused } from "./install/InstallRefused.ts"
export type { SkillChanges, SkillContent } from "./install/package/SkillContent.ts"
export { ListedSkill, ShadowedSkill, type Skill, SkillList, SkillSource } from "./manifest/Skill.ts"
export { SkillInvalid, type SkillManifest } from "./manifest/SkillManifest.ts"
export type { InstallHint, Needs, SkillMetadata } from "./manifest/SkillMetadata.ts"
export type { PermittedSkill, ProjectTrust, SkillLimit, SkillSettings } from "./manifest/SkillSettings.ts"
export * as SkillAdvice from "./prompt/SkillAdvice.ts"
export * as SkillListing from "./prompt/SkillListing.ts"
export * as SkillPrompt from "./prompt/SkillPrompt.ts"
export * as SkillSearch from "./prompt/SkillSearch.ts"
export * as SkillSearchTool from "./prompt/SkillSearchTool.ts"
export * as SkillSection from "./prompt/SkillSection.ts"
export type { Catalogue } from "./SkillCatalogue.ts"
export { SkillInstaller } from "./SkillInstaller.ts"
export { SkillLibrary, SkillNotFound } from "./SkillLibrary.ts"
export { SkillFileUnwritable } from "./switches/LockedFile.ts"
