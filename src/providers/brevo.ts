import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { inSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { checkbox, optional, password } from '#provider/form/variables.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

const api = 'https://api.brevo.com/v3'

export default provider({
  label: 'Brevo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.brevo.com/reference/create-event',
  dashboardUrl: 'https://app.brevo.com/settings/keys/api',
  links: {
    onboarding: 'https://developers.brevo.com/docs/how-it-works#quick-start',
    introduction: 'https://developers.brevo.com/docs/event-endpoints',
  },
  host: 'fixed',

  secrets: {
    BREVO_API_KEY: password('API key', 'Settings, SMTP & API, API keys: a key of version 3. xkeysib-…', {
      placeholder: 'xkeysib-…',
      check: noSpaces,
    }),
    BREVO_LIST_ID: listVariable('List', 'Contacts, Lists: the number of the list.', '2'),
    BREVO_SYNC_ORDERS: checkbox(
      'Orders',
      'Purchase is stored as an order, too. The eCommerce app must be active.',
      optional,
    ),
  },

  events: {
    PageView: 'page_viewed',
    ViewContent: 'product_viewed',
    AddToCart: 'cart_updated',
    RemoveFromCart: 'cart_updated',
    InitiateCheckout: 'checkout_started',
    AddShippingInfo: 'shipping_info_added',
    AddPaymentInfo: 'payment_info_added',
    Purchase: 'order_completed',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  customEventName: (eventName) => eventName.replace(/[^\w-]/g, '_').slice(0, 255),
  user: {
    email_id: plain('email', emailAddress),
    phone_id: plain('phone', phoneE164),
    ext_id: plain('customerId'),
    FIRSTNAME: plain('firstName'),
    LASTNAME: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: an event finds the contact by any of its identifiers, including one with an ext_id.
  requires: ['email_id', 'phone_id', 'ext_id'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email_id', 'ext_id', 'phone_id'],
  },
  dedup: 'none for events; the id of an order',

  // An event or an update creates a contact that is on no list.
  request(context, secrets, name) {
    const { event, value } = context
    const { FIRSTNAME, LASTNAME, ...identifiers } = context.user
    const headers = { 'api-key': secrets.BREVO_API_KEY, accept: 'application/json' }
    const attributes = unlessEmpty({ FIRSTNAME, LASTNAME })
    if (context.kind === 'user') {
      const contact = contactOf(identifiers, attributes)
      return contact ? { url: `${api}/contacts`, headers, json: contact } : { skipped: 'filtered' }
    }
    const sent = {
      event_name: name,
      event_date: isoTime(event.timestamp),
      identifiers,
      contact_properties: attributes,
      event_properties: eventProperties(context),
    }
    const isOrder = event.eventName === 'Purchase' && secrets.BREVO_SYNC_ORDERS === '1' && value !== undefined
    const asEvent = { url: `${api}/events`, headers, json: sent }
    const add = (list: string) => listedContact(identifiers.email_id, list, { url: `${api}/contacts`, headers })
    if (!isOrder) return withSubscription(context, secrets.BREVO_LIST_ID, add, asEvent)
    return inSteps([asEvent, { url: `${api}/orders/status`, headers, json: orderOf(context, identifiers) }])
  },
  // The vendor's page states no maximum.
  batch: {
    maxEvents: 100,
    joinKey: ({ url }) => (url.endsWith('/events') ? url : undefined),
    join: (requests) => ({
      ...requests[0]!,
      url: `${api}/events/batch`,
      json: { events: requests.map(({ json }) => json) },
    }),
    partialFailures: failedEvents,
  },
})

/** The properties of an event: 50 kB at most. */
function eventProperties(context: RequestContext): object {
  const limits = { maxKeyLength: 255, notInKey: /[^\w-]/g, maxBytes: 15_000 }
  const items = firstWithin(context.items.map(snakeCaseItem), 30_000)
  const properties = boundedProperties(snakeCaseProperties(context), limits)
  return items.length > 0 ? { ...properties, items } : properties
}

/** A product of an order. Id and price are required. Only `quantityFloat` accepts fractions. */
const orderProduct = ({ id, variantId, item_price: price, quantity = 1 }: EventItem) =>
  id === undefined || price === undefined
    ? []
    : [
        {
          productId: id,
          variantId,
          price,
          ...(Number.isInteger(quantity) ? { quantity } : { quantityFloat: quantity }),
        },
      ]

/** `amount` includes shipping and tax. */
function orderOf({ event, items, orderId, coupon, value }: RequestContext, identifiers: { email_id?: string }) {
  const at = `${isoTime(event.timestamp).slice(0, 19)}Z`
  return {
    id: orderId,
    createdAt: at,
    updatedAt: at,
    status: 'completed',
    amount: value,
    products: items.flatMap(orderProduct),
    // Older vendor pages have `email` instead of `identifiers`.
    email: identifiers.email_id,
    identifiers,
    coupons: coupon === undefined ? undefined : [coupon],
  }
}

type Identifiers = { email_id?: string; ext_id?: string; phone_id?: string }

/** A contact with its attributes. Undefined if no attribute is known. Without `listIds`, it is added to no list. */
function contactOf({ email_id: email, ext_id, phone_id: SMS }: Identifiers, names: object | undefined) {
  const attributes = unlessEmpty({ ...names, SMS })
  return attributes && { email, ext_id, attributes, updateEnabled: true }
}

/** The 207 response to a batch: https://developers.brevo.com/reference/create-batch-events. */
type BatchEventsResponse = {
  total_events?: number
  failed_events?: number
  errors?: { eventIndex?: number[]; message?: string }[]
}

/** The rejected events of a batch. Accepted events must not be sent again, because Brevo would count them twice. */
function failedEvents({ total_events, failed_events, errors = [] }: BatchEventsResponse): PartialFailure[] {
  const rows = errors.flatMap(({ eventIndex = [], message }) => eventIndex.map((row) => ({ row, message })))
  const all = failed_events === total_events ? Array.from({ length: total_events ?? 0 }, (_, row) => ({ row })) : []
  return (rows.length > 0 ? rows : all).map((each) => ({ ...each, verdict: 'refused' }))
}

/** Creates or updates a contact on a list: https://developers.brevo.com/reference/create-contact */
const listedContact = (email: string | undefined, list: string, request: RequestSpec): RequestSpec | undefined =>
  email === undefined ? undefined : { ...request, json: { email, listIds: [Number(list)], updateEnabled: true } }
