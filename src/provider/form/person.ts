import type { TagEvent } from '#contract/event.ts'
import { type StandardKey, standardKeyField, standardKeys } from '#contract/standardKeys.ts'
import { countryOf } from './country.ts'

/** `userId`: Aglet's id for the visitor. */
export type PersonKey = StandardKey | 'userId' | 'ip' | 'userAgent'

/** The known values of a person, neither normalised nor hashed. */
export type RawPerson = Readonly<Partial<Record<PersonKey, string>>> & {
  /** The country for a phone number without country code, if the person has no `country`: ISO 3166-1 alpha-2. */
  readonly phoneCountry?: string
}

const addresses = ['billingAddress', 'shippingAddress', 'address', 'billing_address', 'shipping_address'] as const
const countryFields = ['countryCode', 'country_code', 'country'] as const

/** The country of the address in an order's data, used for a phone number without country code. */
export function addressCountryOf({ data }: TagEvent): string | undefined {
  for (const name of addresses) {
    const address = data?.[name]
    if (typeof address !== 'object' || address === null) continue
    for (const field of countryFields) {
      const text = (address as Record<string, unknown>)[field]
      const country = typeof text === 'string' ? countryOf(text) : undefined
      if (country) return country
    }
  }
  return undefined
}

/** The event fields for the standard keys, at its top level or in `data`: `userEmail`, `userPhone`, … */
export const personFields: readonly string[] = standardKeys.map(standardKeyField)

/** The person's values in an event: `userEmail`, … at its top level or in `data`, `ip` and `userAgent`. */
export function personOf(event: TagEvent): RawPerson {
  const fields = { ...event.data, ...event }
  const entries = [
    ...standardKeys.map((key) => [key, fields[standardKeyField(key)]] as const),
    ...(['ip', 'userAgent'] as const).map((key) => [key, event[key]] as const),
  ]
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value))
}
