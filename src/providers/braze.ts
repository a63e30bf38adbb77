import { bearer } from '#provider/authorization.ts'
import { plain } from '#provider/identity.ts'
import { countryCode, emailAddress, phoneE164 } from '#provider/normalise.ts'
import { ownNames, provider } from '#provider/provider.ts'
import { isoTime } from '#provider/time.ts'
import { addressCheck, baseOf, checkbox, identifier, listed, optional, password, text } from '#provider/variables.ts'
import { examples } from './examples/braze.ts'
import { ownProperties, purchases, shopProperties } from './schemas/braze.ts'

const names = {
  ...ownNames,
  ViewContent: 'ecommerce.product_viewed',
  AddToCart: 'ecommerce.cart_updated',
  RemoveFromCart: 'ecommerce.cart_updated',
  InitiateCheckout: 'ecommerce.checkout_started',
  Purchase: 'ecommerce.order_placed',
  Refund: 'ecommerce.order_refunded',
}
/** When a person tells who it is. Each attribute that is sent costs a data point, so it goes with no other event. */
const telling = ['Purchase', 'Subscribe', 'Lead']

/** The page does not tell the members of `errors`; these are what comes. `index` counts within its array. */
type Told = { message?: string; errors?: { type?: string; input_array: string; index: number }[] }

export default provider({
  label: 'Braze',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.braze.com/docs/api/endpoints/user_data/post_user_track',
  dashboardUrl: 'https://dashboard.braze.com/app_settings/developer_console',
  links: { onboarding: 'https://www.braze.com/docs/api/basics' },
  host: 'customer',

  secrets: {
    BRAZE_API_KEY: password('REST API key', 'Settings, APIs and Identifiers, API Keys: one that may users.track.'),
    BRAZE_REST_ENDPOINT: text(
      'REST endpoint',
      'Of your instance: Settings, APIs and Identifiers, below the API keys.',
      { placeholder: 'https://rest.iad-01.braze.com', check: addressCheck },
    ),
    BRAZE_EVENT_PREFIX: text('Prefix', 'Put before the name of each custom event.', optional),
    BRAZE_EXCLUDED_EVENTS: text('Excluded events', 'Names of events that are not sent, divided by commas.', optional),
    BRAZE_APP_ID: identifier('App identifier', 'Settings, App Settings: the API key of the app.', optional),
    BRAZE_USE_PURCHASE_EVENTS: checkbox(
      'Legacy purchases',
      'Purchase goes as purchase objects. New customers of Braze cannot use them.',
      optional,
    ),
  },

  events: names,
  custom: (eventName) => eventName,
  user: {
    external_id: plain('userId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    country: plain('country', countryCode),
  },
  requires: ['external_id', 'email', 'phone'],
  dedup: 'none: a repeat is a second event; properties.event_id tells',

  request(on, secrets, name) {
    const { eventName, timestamp, eventId } = on.event
    if (listed(secrets.BRAZE_EXCLUDED_EVENTS).includes(eventName)) return { skipped: 'filtered' }
    const { external_id, email, phone, ...profile } = on.user
    const who = { external_id, email, phone: email ? undefined : phone }
    const person = { ...who, app_id: secrets.BRAZE_APP_ID }
    const time = isoTime(timestamp)
    const isOwn = !Object.hasOwn(names, eventName)
    const isShop = !isOwn && name.startsWith('ecommerce.')
    const properties = isShop ? shopProperties(name, on, external_id ?? eventId) : ownProperties(on)
    const event = { ...person, name: isOwn ? (secrets.BRAZE_EVENT_PREFIX ?? '') + name : name, time, properties }
    const isLegacy = eventName === 'Purchase' && secrets.BRAZE_USE_PURCHASE_EVENTS === '1'
    return {
      url: `${baseOf(secrets.BRAZE_REST_ENDPOINT)}/users/track`,
      headers: { authorization: bearer(secrets.BRAZE_API_KEY) },
      json: {
        attributes: telling.includes(eventName) && (email || phone) ? [{ ...who, phone, ...profile }] : undefined,
        events: isLegacy ? undefined : [event],
        purchases: isLegacy ? purchases(on, person, time) : undefined,
      },
    }
  },
  many: {
    at: ['attributes', 'events', 'purchases'],
    most: 75,
    // with another message nothing was taken, and what is named is not all that is wrong
    failed: ({ message, errors = [] }: Told) =>
      message === 'success' ? errors.map(({ input_array: list, index: row, type: says }) => ({ list, row, says })) : [],
  },

  // a 201 that names errors has dropped what they name
  answers: [{ status: 201, at: 'errors.0', is: 'refused' }],

  examples,
})
