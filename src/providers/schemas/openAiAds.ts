import type { EventItem } from '#contract/event.ts'
import { mapItems, wholeQuantity } from '#provider/form/items.ts'
import { minorUnits, unlessNegative } from '#provider/form/money.ts'
import { countryCode, type Normalise, trimmed, validE164 } from '#provider/form/normalise.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'

/** https://developers.openai.com/ads/supported-events */
const dataTypes: ReadonlyMap<string, string> = new Map([
  ['page_viewed', 'contents'],
  ['contents_viewed', 'contents'],
  ['items_added', 'contents'],
  ['checkout_started', 'contents'],
  ['order_created', 'contents'],
  ['lead_created', 'customer_action'],
  ['registration_completed', 'customer_action'],
  ['appointment_scheduled', 'customer_action'],
  ['subscription_created', 'plan_enrollment'],
  ['trial_started', 'plan_enrollment'],
])

/** A name of a custom event: 1 to 64 of `a-z 0-9 _ -`, of which the first and the last are letters or digits. */
const customName = (name: string) =>
  name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 64)
    .replace(/(?<![_-])[_-]+$/, '')

/**
 * The type of an event: a standard one, else `custom` with its name. Undefined where no letter or digit is in the name.
 */
export function typeOf(name: string): { type: string; custom_event_name?: string } | undefined {
  if (dataTypes.has(name)) return { type: name }
  const custom_event_name = customName(name)
  return custom_event_name && !dataTypes.has(custom_event_name) ? { type: 'custom', custom_event_name } : undefined
}

const minorAmount = (amount: number | undefined, currency: string | undefined) =>
  amount === undefined || amount < 0 || !currency ? undefined : minorUnits(amount, currency)

/** The `data` of an event. Only events of the type `contents` have items. */
export function dataOf(
  type: string,
  currency: string | undefined,
  value: number | undefined,
  items: readonly EventItem[],
) {
  const dataType = dataTypes.get(type) ?? 'custom'
  const contents = mapItems(items, (item) => ({
    id: item.id,
    name: item.title,
    quantity: wholeQuantity(item),
    amount: minorAmount(unlessNegative(item.item_price), currency),
    content_type: 'product',
  }))
  return {
    type: dataType,
    amount: minorAmount(value, currency),
    currency,
    contents: dataType === 'contents' ? contents : undefined,
  }
}

/** Lower case without white space and ASCII punctuation. Accents are kept. */
const nameLetters: Normalise = (raw) => raw.toLowerCase().replace(/[\s!-/:-@[-`{-~]/g, '') || undefined

/** Digits with the country code: 8 to 15, without a plus. */
const phoneNumber: Normalise = (raw, person) => validE164(raw, person)?.slice(1)

/** Letters, digits, spaces and hyphens; undefined for other codes. */
const postalCode: Normalise = (raw) => /^[a-z0-9 -]{1,20}$/i.exec(raw.trim())?.[0]

/** The members of `user` that are lists. */
export const personLists = {
  emails_sha256: hashed('email'),
  phone_numbers_sha256: hashed('phone', phoneNumber),
  external_ids_sha256: hashed('userId', trimmed),
  first_names_sha256: hashed('firstName', nameLetters),
  last_names_sha256: hashed('lastName', nameLetters),
  regions: plain('state'),
  postal_codes: plain('zip', postalCode),
  cities: plain('city'),
  countries: plain('country', countryCode),
}

/** The request whose events are checked and not stored. */
export const validated = (request: RequestSpec): RequestSpec => ({
  ...request,
  json: { ...(request.json as object), validate_only: true },
})
