/** What the CLI hands to the built-in tools. Nothing here is read from the environment by this package. */
export interface BuiltinSettings {
  /** The user's home folder: what `~` in a path means. Absolute. */
  readonly home: string
  /** Where the user's things and secrets live. Absolute. */
  readonly cowHome: string
  /** The whole environment of `bash`, without Cow's own keys. `COW_RUN_ID` is added for each call. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** True: `web_fetch` may reach loopback and private addresses. Link-local ones stay refused. */
  readonly allowPrivateFetch: boolean
  /** Folder for the whole text of outputs that are shown in part; made when first needed. Absolute. */
  readonly outputFolder: string
}
