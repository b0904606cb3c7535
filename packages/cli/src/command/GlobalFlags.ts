/** The flags that every command takes, before or after the command's name. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"

export const WorkspaceFlag = GlobalFlag.Setting("workspace")({
  flag: Flag.String("workspace").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("The project folder; the current folder if absent"),
    Flag.optional
  )
})

export const QuietFlag = GlobalFlag.Setting("quiet")({
  flag: Flag.Boolean("quiet").pipe(
    Flag.withDescription("No warnings and no progress on stderr"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
})

export const VerboseFlag = GlobalFlag.Setting("verbose")({
  flag: Flag.Boolean("verbose").pipe(
    Flag.withDescription("More on stderr, causes of failures included"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
})

export const globalFlags = [WorkspaceFlag, QuietFlag, VerboseFlag] as const

export type GlobalFlags =
  | GlobalFlag.Setting.Identifier<"workspace">
  | GlobalFlag.Setting.Identifier<"quiet">
  | GlobalFlag.Setting.Identifier<"verbose">
