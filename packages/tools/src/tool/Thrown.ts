/**
 * What something thrown says, which may be no error at all. For what is asked here and in threads; errors of the
 * platform have words of their own (`CallFailure`).
 */

export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)
