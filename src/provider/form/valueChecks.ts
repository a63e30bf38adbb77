import type { ValueCheck } from './secret.ts'

/** A `check` that the pattern matches the whole value. `sentence`: the instruction for the customer. */
export const shape = (pattern: RegExp, sentence: string): ValueCheck =>
  Object.assign((value: string) => (pattern.test(value) ? undefined : sentence), { pattern: pattern.source })

/** The `check` of a number that the vendor assigns, such as the number of a list. */
export const digitsCheck = shape(/^\d{1,12}$/, 'Write only the number, in digits.')

/** The `check` of a key, a token or an id that never has spaces. */
export const noSpaces = shape(/^\S+$/, 'Write the value without spaces.')
