import { basicAuth } from '#provider/form/authorization.ts'
import { toUlid } from '#provider/form/ids.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { eventProperties } from '#provider/vendors/eventProperties.ts'

const hosts = { us: 'track.customer.io', eu: 'track-eu.customer.io' }

type BatchResponse = { errors?: readonly { batch_index?: number; message?: string }[] }

/** A 207 lists the rejected items by their position in the batch. */
const failedRows = ({ errors = [] }: BatchResponse) =>
  errors.flatMap(({ batch_index: row, message }) => (row === undefined ? [] : [{ row, message }]))

export default provider({
  label: 'Customer.io',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://docs.customer.io/integrations/api/track/',
  dashboardUrl: 'https://fly.customer.io/settings/api_credentials',
  links: {
    onboarding: 'https://docs.customer.io/accounts-and-workspaces/managing-credentials/',
    introduction: 'https://docs.customer.io/integrations/api/track/',
    faq: 'https://docs.customer.io/journeys/anonymous-events/',
  },
  appPlatforms: ['ios', 'android'],
  host: 'fixed',

  secrets: {
    CUSTOMER_IO_SITE_ID: identifier('Site ID', 'Settings, API credentials, Track API keys: the site id.'),
    CUSTOMER_IO_API_KEY: password('Track API key', 'Beside the site id. Not a key of the App API.'),
    CUSTOMER_IO_REGION: region(hosts, 'Settings, Privacy: where the data of the account is stored.'),
  },

  events: {
    PageView: 'page_viewed',
    ViewContent: 'product_viewed',
    AddToCart: 'product_added',
    RemoveFromCart: 'product_removed',
    InitiateCheckout: 'checkout_started',
    AddShippingInfo: 'shipping_info_added',
    AddPaymentInfo: 'payment_info_entered',
    Purchase: 'order_completed',
    Refund: 'order_refunded',
    Subscribe: 'subscribed',
    Search: 'products_searched',
    Lead: 'lead',
  },
  customEventName: (eventName) => truncate(eventName.trim(), 100).trim() || undefined,
  user: {
    id: plain('customerId', (raw) => truncate(raw.trim(), 150) || undefined),
    anonymous_id: plain('anonymousId', (raw) => truncate(raw.trim(), 150) || undefined),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    gender: plain('gender'),
    birthday: plain('dateOfBirth'),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  personId: 'customerId',
  // The cookie holds the anonymous id of Customer.io's page code. An order with only an e-mail creates the entity of
  // this e-mail. At the next order with both, an identify adds the id.
  requires: ['id', 'email', 'anonymous_id', 'captured._cioanonid'],
  captures: [{ cookie: '_cioanonid' }],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['id', 'email', 'phone'],
    medium: ['captured._cioanonid', 'anonymous_id'],
  },
  dedup: 'id, a ULID: the eventId, or a ULID made of it and of the time of the event',

  request(context, secrets, eventName) {
    const { kind, event, captured } = context
    const { id, email, anonymous_id, ...traits } = context.user
    const host = regionHost(hosts, secrets.CUSTOMER_IO_REGION)
    const headers = { authorization: basicAuth(secrets.CUSTOMER_IO_SITE_ID, secrets.CUSTOMER_IO_API_KEY) }
    const page = event.eventName === 'PageView' ? truncate(event.pageUrl?.trim(), 2_000) : undefined
    const facts = {
      name: page || eventName,
      id: toUlid(event.eventId, event.timestamp),
      timestamp: epochSeconds(event.timestamp),
    }
    const attributes = withoutReserved(attributesOf(context))
    const entity = (json: object) => ({ url: `https://${host}/api/v2/entity`, headers, json })
    if (id || email) {
      const person = { type: 'person', identifiers: id ? { id } : { email } }
      const profile = { ...person, action: 'identify', attributes: id ? { email, ...traits } : traits }
      const eventRequest = { ...person, action: page ? 'page' : 'event', ...facts, attributes }
      if (kind === 'user') return entity(profile)
      // Without it, an order with only an e-mail would not find the person with the id.
      const isJoined = id && email && ['Purchase', 'Subscribe', 'Lead'].includes(event.eventName)
      return isJoined
        ? [entity({ ...person, action: 'identify', attributes: { email } }), entity(eventRequest)]
        : entity(eventRequest)
    }
    if (kind === 'user') return { skipped: 'identityMissing' }
    const json = {
      type: page ? 'page' : undefined,
      ...facts,
      anonymous_id: captured._cioanonid?.value ?? anonymous_id,
      data: attributes,
    }
    return { url: `https://${host}/api/v1/events`, headers, json }
  },
  // An event of an anonymous visitor cannot be part of a batch.
  batch: {
    maxEvents: 100,
    maxBytes: 500_000,
    join: (requests) => ({
      ...requests[0]!,
      url: requests[0]!.url.replace(/entity$/, 'batch'),
      json: { batch: requests.map(({ json }) => json) },
    }),
    joinKey: ({ url }) => (url.endsWith('/entity') ? url : undefined),
    partialFailures: failedRows,
  },

  errorMessage: 'meta.error',
  responseRules: [{ status: 207, path: 'errors.0', verdict: 'refused' }],
})

/** A batch item is limited to 32 kB, including its name, ids and identifiers. */
const maxBytes = 28_000

const attributesOf = (context: RequestContext) => eventProperties(context, maxBytes)

const reserved = new Set(['recipient', 'from_address', 'reply_to', 'unsubscribed', 'cio_subscription_preferences'])

/**
 * Customer.io sends an event's campaign to `recipient` and from `from_address`; the last two names are a profile's
 * subscriptions. These keys get the prefix `event_`.
 */
const withoutReserved = (attributes: object) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      reserved.has(name.toLowerCase()) ? `event_${name}` : name,
      value,
    ]),
  )
