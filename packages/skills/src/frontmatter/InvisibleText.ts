/**
 * Characters that nobody sees: marks that turn the direction of a text, blanks without width, tags. With them a text
 * says one thing to a person and another to a model, and two names look the same. Pure.
 *
 * Joiners stay, being part of emoji and of some scripts, and so do the two marks that choose between text and emoji.
 */

const invisible = /[\uFFF9-\uFFFB]|(?!\p{Join_Control}|\uFE0E|\uFE0F)\p{Default_Ignorable_Code_Point}/u
const each = new RegExp(invisible, "gu")

export const isIn = (text: string): boolean => invisible.test(text)

export const without = (text: string): string => text.replace(each, "")

/** Each as `<U+202E>`. */
export const named = (text: string): string =>
  text.replace(
    each,
    (one) => `<U+${(one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}>`
  )
