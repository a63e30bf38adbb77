import type { Profile } from './profile.ts'

type Custom = Profile['custom']

/** A value that a user can be found by, as text: 42 and '42' are one. Undefined for lists and objects. */
export const findable = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined

/** The keys and values of custom data that a user can be found by. */
export const customSigns = (custom: Custom): [key: string, text: string][] =>
  Object.entries(custom).flatMap(([key, value]) => {
    const text = findable(value)
    return text === undefined ? [] : [[key, text]]
  })

export const hasCustom = (custom: Custom, key: string, text: string): boolean =>
  Object.hasOwn(custom, key) && findable(custom[key]) === text

/** Whether custom data was said that was not known; what is not changed is the same object. */
export const isCustomNew = (known: Profile | undefined, { custom }: Profile): boolean =>
  known ? custom !== known.custom : Object.keys(custom).length > 0
