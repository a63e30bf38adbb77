import { type StandardKey, standardKeyField, standardKeys } from '#contract/standardKeys.ts'
import { type Fields, fieldsOf, textOf } from './values.ts'

/** The names of the standard keys among the traits of a user and in `address`. */
const traitNames: Readonly<Record<StandardKey, readonly string[]>> = {
  email: ['email'],
  customerId: ['customerId', 'customer_id'],
  phone: ['phone', 'phone_number'],
  firstName: ['firstName', 'first_name', 'firstname'],
  lastName: ['lastName', 'last_name', 'lastname'],
  gender: ['gender'],
  dateOfBirth: ['birthday', 'dateOfBirth', 'date_of_birth'],
  city: ['city'],
  state: ['state', 'region'],
  zip: ['zip', 'postalCode', 'postal_code'],
  country: ['country'],
}
const keyOf: ReadonlyMap<string, StandardKey> = new Map(
  standardKeys.flatMap((key) => traitNames[key].map((name) => [name, key] as const)),
)
const eventFields = new Map(standardKeys.map((key) => [key as string, standardKeyField(key)]))

export type PersonKeys = Partial<Record<StandardKey, string | null>>

/**
 * Adds the traits of a user: standard ones to `keys`, others to `own`. Null deletes a key. Each part of an address is
 * read separately.
 */
export function readTraits(traits: Fields, keys: PersonKeys, own: Record<string, unknown>): void {
  for (const name in traits) {
    const value = traits[name]
    const key = keyOf.get(name)
    if (key) {
      const text = value === null ? null : textOf(value)
      if (text !== undefined && keys[key] === undefined) keys[key] = text
    } else if (name === 'address' && typeof value === 'object' && value !== null) readTraits(fieldsOf(value), keys, own)
    // an assignment to this name would set the prototype
    else if (name !== '__proto__' && value !== undefined) own[name] = value
  }
}

/** Sets the standard keys as fields of an event: `userEmail`. */
export function putPerson(event: Record<string, unknown>, keys: PersonKeys): void {
  for (const key in keys) {
    const text = keys[key as StandardKey]
    if (text) event[eventFields.get(key)!] = text
  }
}
