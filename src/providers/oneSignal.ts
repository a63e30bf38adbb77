import { toUuid } from '#provider/form/ids.ts'
import { provider } from '#provider/form/provider.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { eventProperties } from '#provider/vendors/eventProperties.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'

/** https://documentation.onesignal.com/reference/create-custom-events: bytes of one event, with room for the commas. */
const maxEventBytes = 2_000

export default provider({
  label: 'OneSignal',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://documentation.onesignal.com/reference/create-custom-events',
  dashboardUrl: 'https://dashboard.onesignal.com',
  links: {
    onboarding: 'https://documentation.onesignal.com/docs/en/keys-and-ids',
    introduction: 'https://documentation.onesignal.com/docs/en/custom-events',
    faq: 'https://documentation.onesignal.com/docs/en/users',
  },
  appPlatforms: ['ios', 'android'],
  host: 'fixed',

  secrets: {
    ONESIGNAL_APP_ID: identifier('App ID', 'Settings, Keys & IDs: the OneSignal App ID.', {
      placeholder: '00000000-0000-4000-8000-000000000000',
      check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the app id alone, as Keys & IDs shows it.'),
    }),
    ONESIGNAL_API_KEY: password('App API key', 'Settings, Keys & IDs, App API Keys. Not the organization key.'),
    ONESIGNAL_TRAITS: traitMapping('a tag of your users', ['tier', 'tier']),
  },

  events: {
    PageView: 'page_view',
    ViewContent: 'view_content',
    AddToCart: 'add_to_cart',
    RemoveFromCart: 'remove_from_cart',
    InitiateCheckout: 'initiate_checkout',
    AddShippingInfo: 'add_shipping_info',
    AddPaymentInfo: 'add_payment_info',
    Purchase: 'purchase',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'lead',
  },
  customEventName: (eventName) => truncate(eventName, 128),
  // The id that the app passes to login(). An e-mail address identifies nobody here.
  user: { external_id: plain('customerId'), ...traitFields },
  personId: 'customerId',
  // An e-mail identifies no user: an order with only an e-mail is not sent.
  requires: ['external_id'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['external_id'],
  },
  dedup: 'events[].idempotency_key, a UUID made of the eventId, for 4 hours',

  request(context, secrets, name) {
    const { event, user } = context
    const app = `https://api.onesignal.com/apps/${encodeURIComponent(secrets.ONESIGNAL_APP_ID)}`
    const headers = { authorization: `Key ${secrets.ONESIGNAL_API_KEY}` }
    if (context.kind === 'user') {
      const traits = mappedTraits(context, secrets.ONESIGNAL_TRAITS)
      const url = `${app}/users/by/external_id/${encodeURIComponent(user.external_id ?? '')}`
      return traits
        ? { method: 'PATCH', url, headers, json: { properties: { tags: textsOf(traits) } } }
        : { skipped: 'filtered' }
    }
    const row = {
      name,
      external_id: user.external_id,
      timestamp: isoTime(event.timestamp),
      idempotency_key: toUuid(event.eventId),
    }
    const left = Math.max(2, maxEventBytes - Buffer.byteLength(JSON.stringify(row)))
    return {
      url: `${app}/custom_events`,
      headers,
      json: { events: [{ ...row, properties: eventProperties(context, left) }] },
    }
  },
  batch: { listPath: 'events', maxEvents: 100, partialFailures: failedRows },

  // OneSignal rejected the events in the errors of a 202.
  errorMessage: 'errors.0.error.title',
  responseRules: [{ status: 202, path: 'errors.0', verdict: 'refused' }],
})

/** The values of tags are texts: https://documentation.onesignal.com/reference/update-user */
const textsOf = (traits: object) =>
  Object.fromEntries(Object.entries(traits).map(([name, value]) => [name, String(value)]))

type Row = { external_id: string; idempotency_key: string }

type Failure = { event_id?: string; event_user_id?: string; error?: { title?: string } }

/** An error names its event, or an unknown user; all events of that user failed. */
function failedRows({ errors = [] }: { errors?: readonly Failure[] }, sent: unknown) {
  const { events } = sent as { events: readonly Row[] }
  return errors.flatMap(({ event_id, event_user_id, error }) => {
    const named = events.flatMap(({ idempotency_key }, row) => (idempotency_key === event_id ? [row] : []))
    const byUser = events.flatMap(({ external_id }, row) => (external_id === event_user_id ? [row] : []))
    return (named.length > 0 ? named : byUser).map((row) => ({ row, message: error?.title }))
  })
}
