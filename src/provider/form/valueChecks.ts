/** The `check` of a key, a token or an id that never has spaces. */
export const noSpaces = (value: string): string | undefined =>
  /^\S+$/.test(value) ? undefined : 'Write the value without spaces.'

/** The `check` of a number that the vendor gives, such as that of a list. */
export const digitsCheck = (id: string): string | undefined =>
  /^\d{1,12}$/.test(id) ? undefined : 'Write the number alone: digits only.'

/** A `check`: the whole value matches. `sentence` says what to write. */
export const shape = (pattern: RegExp, sentence: string) => (value: string) =>
  pattern.test(value) ? undefined : sentence
