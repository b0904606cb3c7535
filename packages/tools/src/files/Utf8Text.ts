/** Bytes as text where they are UTF-8, and only there. Other encodings are `PageCharset`'s. Pure. */

/** With its byte order mark, where it has one; `undefined` for bytes that are not UTF-8. */
export const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}
