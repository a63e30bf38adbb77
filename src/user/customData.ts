import type { Profile } from './profile.ts'

type Custom = Profile['custom']

/** The text by which a custom value is searched: 42 and '42' are equal. Undefined for lists and objects. */
export const searchableText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined

/** The keys and values of custom data by which a user can be searched. */
export const searchableValues = (custom: Custom): [key: string, text: string][] =>
  Object.entries(custom).flatMap(([key, value]) => {
    const text = searchableText(value)
    return text === undefined ? [] : [[key, text]]
  })

type CustomData = Pick<Profile, 'custom' | 'trustedCustom'>

/** Whether a user has a custom value; with `trusted` only one that a trusted call stored. */
export const hasCustom = ({ custom, trustedCustom }: CustomData, key: string, text: string, trusted = false): boolean =>
  Object.hasOwn(custom, key) &&
  searchableText(custom[key]) === text &&
  (!trusted || trustedCustom?.includes(key) === true)

/** Whether an update changed the custom data. Unchanged data is the same object. */
export const isCustomNew = (known: Profile | undefined, { custom, trustedCustom }: CustomData): boolean =>
  known ? custom !== known.custom || trustedCustom !== known.trustedCustom : Object.keys(custom).length > 0
