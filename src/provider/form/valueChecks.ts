import type { ValueCheck } from './secret.ts'

/** A `check`: the whole value matches. `sentence` says what to write. */
export const shape = (pattern: RegExp, sentence: string): ValueCheck =>
  Object.assign((value: string) => (pattern.test(value) ? undefined : sentence), { pattern: pattern.source })

/** The `check` of a number that the vendor gives, such as that of a list. */
export const digitsCheck = shape(/^\d{1,12}$/, 'Write the number alone: digits only.')

/** The `check` of a key, a token or an id that never has spaces. */
export const noSpaces = shape(/^\S+$/, 'Write the value without spaces.')
