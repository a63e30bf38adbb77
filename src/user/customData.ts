import type { Profile } from './profile.ts'

type Searchable = Pick<Profile, 'keys' | 'custom' | 'trustedCustom' | 'customerKey'>

/** The searchable text of a custom value: 42 and '42' are equal. Undefined for lists and objects. */
export const searchableText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined

/** The names under which searches find the customer id, including the custom key in which sources once stored it. */
const customerIdNames: readonly string[] = ['customerId', 'userId']

/** The keys and values by which a user can be found: custom data and the customer id. */
export const searchableValues = ({ keys: { customerId }, custom }: Searchable): [key: string, text: string][] => [
  ...Object.entries(custom).flatMap(([key, value]): [string, string][] => {
    const text = searchableText(value)
    return text === undefined ? [] : [[key, text]]
  }),
  ...(customerId === undefined ? [] : customerIdNames.map((name): [string, string] => [name, customerId])),
]

/** True if a user can be found by this value; with `trusted` only by values from trusted calls. */
export function hasCustom(profile: Searchable, key: string, text: string, trusted = false): boolean {
  const { keys, custom, trustedCustom, customerKey } = profile
  const isOwn = Object.hasOwn(custom, key) && searchableText(custom[key]) === text
  const isCustomer = customerIdNames.includes(key) && keys.customerId === text
  return (
    (isOwn && (!trusted || trustedCustom?.includes(key) === true)) ||
    (isCustomer && (!trusted || customerKey !== undefined))
  )
}

/** True if an update changed the searchable values of a user. Unchanged custom data is the same object. */
export const isCustomNew = (
  known: Profile | undefined,
  { keys, custom, trustedCustom, customerKey }: Profile,
): boolean =>
  known
    ? custom !== known.custom ||
      keys.customerId !== known.keys.customerId ||
      trustedCustom !== known.trustedCustom ||
      customerKey !== known.customerKey
    : Object.keys(custom).length > 0 || keys.customerId !== undefined
