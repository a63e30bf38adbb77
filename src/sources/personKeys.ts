import { type StandardKey, standardKeyField, standardKeys } from '#contract/standardKeys.ts'
import { type Fields, fieldsOf, firstText } from './values.ts'

/** The names of a standard key among the traits of a user; the first that is present is taken. */
const traitNames: Readonly<Record<StandardKey, readonly string[]>> = {
  email: ['email'],
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
const allNames: ReadonlySet<string> = new Set(Object.values(traitNames).flat())

/** The traits of a user as standard keys and as keys of the customer's own. Null deletes a key. */
export function personKeys(traits: Fields): { keys: Partial<Record<StandardKey, string | null>>; own: Fields } {
  const address = fieldsOf(traits.address)
  const keys: Partial<Record<StandardKey, string | null>> = {}
  for (const key of standardKeys) {
    const names = traitNames[key]
    const text = firstText(...names.map((name) => traits[name]), ...names.map((name) => address[name]))
    if (text !== undefined) keys[key] = text
    else if (names.some((name) => traits[name] === null)) keys[key] = null
  }
  const own = Object.entries(traits).filter(([name, value]) => !allNames.has(name) && isKept(name, value))
  return { keys, own: Object.fromEntries(own) }
}

/** The address is mapped part by part. */
const isKept = (name: string, value: unknown) => value !== undefined && !(name === 'address' && value !== null)

/** Standard keys as fields of an event: `userEmail`. */
export const personFields = (keys: Partial<Record<StandardKey, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([key, text]) => (text ? [[standardKeyField(key as StandardKey), text]] : [])),
  )
