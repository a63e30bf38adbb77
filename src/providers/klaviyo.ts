import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { apiVersionDate, checkbox, idCheck, optional, password } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'
import {
  eventNames,
  eventOf,
  exchangeId,
  jobOf,
  orderedProducts,
  profileImport,
  propertiesOf,
  subscriptionOf,
  subscriptionPath,
} from './schemas/klaviyo.ts'

const api = 'https://a.klaviyo.com/api'
const revisions = 'https://developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy'
const media = 'application/vnd.api+json'

export default provider({
  label: 'Klaviyo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.klaviyo.com/en/reference/create_event',
  dashboardUrl: 'https://www.klaviyo.com/settings/account/api-keys',
  links: {
    onboarding: 'https://help.klaviyo.com/hc/en-us/articles/7423954176283',
    introduction: 'https://developers.klaviyo.com/en/reference/events_api_overview',
  },
  host: 'fixed',

  secrets: {
    KLAVIYO_API_KEY: password(
      'Private API key',
      'Settings, API keys, Create: with full access to events and profiles. pk_…',
    ),
    KLAVIYO_REVISION: apiVersionDate('API revision', '2026-07-15', revisions),
    KLAVIYO_TRAITS: traitMapping('a custom property of your profiles', ['tier', 'Tier'], { keys: 'custom' }),
    KLAVIYO_LIST_ID: listVariable('List', 'Your list, Settings: its ID.', 'Y6nRLr', idCheck),
    KLAVIYO_SEND_ORDERED_PRODUCT: checkbox('Ordered Product', 'After Placed Order, one for each product.', optional),
  },

  events: eventNames,
  customEventName: (eventName) => truncate(eventName, 128),
  user: {
    email: plain('email', emailAddress),
    // an invalid number makes Klaviyo reject the whole event
    phone_number: plain('phone', validE164),
    external_id: plain('userId', (raw) => truncate(raw.trim(), 255) || undefined),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    city: plain('city'),
    region: plain('state'),
    country: plain('country'),
    zip: plain('zip'),
    ip: plain('ip'),
  },
  requires: ['email', 'phone_number', 'external_id', 'captured._kx', 'captured.__kla_id'],
  acceptsUserEvents: true,
  captures: [{ query: '_kx', cookie: '__kla_id' }],
  dedup: 'unique_id, for one profile and metric',

  request(context, secrets, name) {
    const { event, data, value } = context
    const { city, region, country, zip, ip, ...ids } = context.user
    const _kx = exchangeId(context.captured)
    if (!_kx && !ids.email && !ids.phone_number && !ids.external_id) return { skipped: 'identityMissing' }
    const { KLAVIYO_API_KEY: key, KLAVIYO_REVISION: revision } = secrets
    const headers = { authorization: `Klaviyo-API-Key ${key}`, revision, 'content-type': media, accept: media }
    const profile = { ...ids, _kx, location: unlessEmpty({ city, region, country, zip, ip }) }
    const traits = () => mappedTraits(context, secrets.KLAVIYO_TRAITS)
    if (context.kind === 'user') return profileImport(profile, traits(), { url: `${api}/profile-import`, headers })
    const common = { time: isoTime(event.timestamp), value_currency: data.currency }
    const send = (metric: string, more: object) => ({
      url: `${api}/events`,
      headers,
      json: eventOf(metric, profile, { ...common, ...more }),
    })
    const add = (list: string) => subscriptionOf(ids.email, list, { url: api + subscriptionPath, headers })
    const sold = orderedProducts(context, secrets.KLAVIYO_SEND_ORDERED_PRODUCT)
    const eventRequest = send(name, { unique_id: event.eventId, value, properties: propertiesOf(context) })
    const orders = sold.map((more) => send('Ordered Product', more))
    return withSubscription(context, secrets.KLAVIYO_LIST_ID, add, eventRequest, ...orders)
  },
  // several events go to the endpoint for bulk jobs
  batch: {
    maxEvents: 1_000,
    joinKey: ({ url }) => (url.endsWith('/events') ? url : undefined),
    maxBytes: 5_000_000,
    join: (requests) => ({ ...requests[0]!, url: `${api}/event-bulk-create-jobs`, json: jobOf(requests) }),
  },
})
