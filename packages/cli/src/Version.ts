/** Cow's own version, from the package manifest. Loads nothing else: `--version` must be fast. */
import manifest from "../package.json"

export const version: string = manifest.version
