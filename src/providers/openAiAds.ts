import type { EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { mapItems, wholeQuantity } from '#provider/form/items.ts'
import { minorUnits, unlessNegative } from '#provider/form/money.ts'
import { countryCode, type Normalise, phoneE164, trimmed } from '#provider/form/normalise.ts'
import { asLists } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import {
  checkbox,
  eventMapping,
  idCheck,
  identifier,
  optional,
  password,
  tokenCheck,
} from '#provider/form/variables.ts'

/** Lower case without white space and ASCII punctuation. Accents are kept. */
const nameLetters: Normalise = (raw) => raw.toLowerCase().replace(/[\s!-/:-@[-`{-~]/g, '') || undefined

/** Digits with the country code: 8 to 15, without a plus. */
const phoneNumber: Normalise = (raw, person) => phoneE164(raw, person)?.slice(1)

/** Letters, digits, spaces and hyphens; undefined for other codes. */
const postalCode: Normalise = (raw) => /^[a-z0-9 -]{1,20}$/i.exec(raw.trim())?.[0]

/** The members of `user` that are lists. */
const personLists = {
  emails_sha256: hashed('email'),
  phone_numbers_sha256: hashed('phone', phoneNumber),
  external_ids_sha256: hashed('anyStableId', trimmed),
  first_names_sha256: hashed('firstName', nameLetters),
  last_names_sha256: hashed('lastName', nameLetters),
  regions: plain('state'),
  postal_codes: plain('zip', postalCode),
  cities: plain('city'),
  countries: plain('country', countryCode),
}

/** The same request with validation only: OpenAI stores no events. */
const validated = (request: RequestSpec): RequestSpec => ({
  ...request,
  json: { ...(request.json as object), validate_only: true },
})

export default provider({
  label: 'OpenAI Ads (ChatGPT)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.openai.com/ads/conversions-api',
  dashboardUrl: 'https://ads.openai.com/',
  links: {
    onboarding: 'https://developers.openai.com/ads/conversion-tracking',
    introduction: 'https://developers.openai.com/ads/supported-events',
    faq: 'https://developers.openai.com/ads/api-reference/conversion-setup',
  },
  host: 'fixed',

  secrets: {
    OPENAI_ADS_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Conversions: the id of the pixel.', { check: idCheck }),
    OPENAI_ADS_API_KEY: password(
      'Conversions API key',
      'Ads Manager, Conversions, Conversions API keys. The Advertiser API key is another one.',
      { check: tokenCheck },
    ),
    OPENAI_ADS_VALIDATE_ONLY: checkbox('Validate only', 'OpenAI checks the events and does not store them.', optional),
    OPENAI_ADS_MAPPED_EVENTS: eventMapping(
      'a standard event of OpenAI or the name of a custom event in Ads Manager. Events without a pair keep their name',
      'order_created',
      optional,
    ),
  },

  events: {
    PageView: 'page_viewed',
    ViewContent: 'contents_viewed',
    AddToCart: 'items_added',
    InitiateCheckout: 'checkout_started',
    Purchase: 'order_created',
    Subscribe: 'subscription_created',
    Lead: 'lead_created',
    CompleteRegistration: 'registration_completed',
    StartTrial: 'trial_started',
    Schedule: 'appointment_scheduled',
  },
  eventMapping: 'OPENAI_ADS_MAPPED_EVENTS',
  // OpenAI has no refunds, and the amount of a custom event would count as revenue.
  customEventName: (eventName) => (eventName === 'Refund' ? undefined : eventName),
  user: {
    ...personLists,
    ip_address: plain('ip'),
    user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: ['captured.oppref', 'captured.__oppref', 'captured.__obref', 'emails_sha256', 'external_ids_sha256'],
  captures: [{ query: 'oppref', cookie: '__oppref' }, { cookie: '__obref' }],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['captured.oppref', 'captured.__oppref', 'emails_sha256', 'phone_numbers_sha256'],
    medium: ['external_ids_sha256', 'captured.__obref'],
    weak: [
      'first_names_sha256',
      'last_names_sha256',
      'regions',
      'postal_codes',
      'cities',
      'countries',
      'ip_address',
      'user_agent',
    ],
  },
  dedup: 'events[].id, together with type',

  request({ event, data, items, user, value, captured, consent }, secrets, name) {
    const type = typeOf(name)
    if (!type) return { skipped: 'eventNotSupported' }
    const { ip_address, user_agent, ...lists } = user
    const row = {
      id: event.eventId,
      ...type,
      timestamp_ms: event.timestamp,
      // source_url is required if the source is web.
      action_source: event.pageUrl ? 'web' : 'other',
      source_url: event.pageUrl,
      oppref: (captured.oppref ?? captured.__oppref)?.value,
      opt_out: isOptedOut(consent),
      user: { obref: captured.__obref?.value, ...asLists(lists), ip_address, user_agent },
      data: dataOf(type.type, data.currency, value, items),
    }
    const request = {
      url: 'https://bzr.openai.com/v1/events',
      query: { pid: secrets.OPENAI_ADS_PIXEL_ID },
      headers: { authorization: bearerAuth(secrets.OPENAI_ADS_API_KEY) },
      json: { validate_only: false, events: [row] },
    }
    return secrets.OPENAI_ADS_VALIDATE_ONLY === '1' ? validated(request) : request
  },
  batch: { listPath: 'events', maxEvents: 1_000 },
  toTestMode: validated,
})

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

/** A custom event name: 1 to 64 characters of `a-z 0-9 _ -`, beginning and ending with a letter or digit. */
const customName = (name: string) =>
  name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 64)
    .replace(/(?<![_-])[_-]+$/, '')

/**
 * The type of an event: a standard type, otherwise `custom` with a name. Undefined if the name contains no letter or
 * digit.
 */
function typeOf(name: string): { type: string; custom_event_name?: string } | undefined {
  if (dataTypes.has(name)) return { type: name }
  const custom_event_name = customName(name)
  return custom_event_name && !dataTypes.has(custom_event_name) ? { type: 'custom', custom_event_name } : undefined
}

const minorAmount = (amount: number | undefined, currency: string | undefined) =>
  amount === undefined || amount < 0 || !currency ? undefined : minorUnits(amount, currency)

/** The `data` of an event. Only events of the type `contents` have items. */
function dataOf(type: string, currency: string | undefined, value: number | undefined, items: readonly EventItem[]) {
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
