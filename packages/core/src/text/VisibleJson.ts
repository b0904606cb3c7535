/**
 * JSON in which a person sees every character: what a terminal acts on or a reader cannot see stands as `\uXXXX`. Pure;
 * the value stays the same. Text that is no JSON is the command line's `Printable`.
 */

/** Controls, and what a reader cannot see or that turns text round: bidirectional marks, zero widths, tags. */
const hidden =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

const escapeUnits = (found: string): string =>
  Array.from(
    { length: found.length },
    (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** @param json a whole JSON text; outside its strings there is nothing to escape */
export const escape = (json: string): string => json.replace(hidden, escapeUnits)
