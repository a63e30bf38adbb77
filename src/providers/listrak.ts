import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { withoutFloatError } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { localTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional, password } from '#provider/form/variables.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'

const api = 'https://api.listrak.com'

/** A longer value is omitted: if truncated, it would identify another person. */
const atMost = (maxLength: number, text: string | undefined) => (text && text.length <= maxLength ? text : undefined)

export default provider({
  label: 'Listrak',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://api.listrak.com/data',
  dashboardUrl: 'https://admin.listrak.com',
  links: {
    onboarding: 'https://api.listrak.com/data#section/Authentication',
    introduction: 'https://api.listrak.com/crosschannel/v1/docs',
  },
  host: 'fixed',

  secrets: {
    LISTRAK_CLIENT_ID: identifier(
      'Client ID',
      'Integrations Management, an integration of the type Data: its client id.',
    ),
    LISTRAK_CLIENT_SECRET: password('Client secret', 'It is shown once, when the Data integration is made.'),
    LISTRAK_MAPPED_EVENTS: eventMapping(
      'the eventUID of a custom event: Cross Channel, Event Manager. For a script with the Cross Channel credentials',
      '0a1b2c3d-0000-4000-8000-000000000001',
      { ...optional, check: mappedIdCheck(/^[\w-]{1,64}$/, 'Write the eventUID of each custom event.') },
    ),
    LISTRAK_CC_CLIENT_ID: identifier(
      'Cross Channel client ID',
      'Of an integration of the type Cross Channel. A script with it sends the mapped events and no orders: make a second script for orders.',
      optional,
    ),
    LISTRAK_TRAITS: traitMapping('one of the fields meta1 to meta5 of a customer', ['tier', 'meta1'], {
      keys: 'custom',
      check: mappedIdCheck(/^meta[1-5]$/, 'Write meta1, meta2, meta3, meta4 or meta5.'),
    }),
    LISTRAK_CC_CLIENT_SECRET: password('Cross Channel client secret', 'Of the Cross Channel integration.', optional),
  },

  events: { Purchase: '' },
  eventMapping: 'LISTRAK_MAPPED_EVENTS',
  user: {
    email: plain('email', (raw, person) => atMost(100, emailAddress(raw, person))),
    phone: plain('phone', phoneE164),
    customerNumber: plain('customerId', (raw) => atMost(20, raw.trim() || undefined)),
    firstName: plain('firstName', (raw) => atMost(50, raw.trim())),
    lastName: plain('lastName', (raw) => atMost(50, raw.trim())),
    zipCode: plain('zip', (raw) => atMost(20, raw.trim())),
  },
  personId: 'customerId',
  // An order with only an e-mail: the e-mail is the key of an order and of a contact; customerNumber is an additional
  // field.
  requires: ['email', 'phone'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'customerNumber', 'phone'],
  },
  dedup: 'orderNumber: an order is replaced; events have none',

  tokenRequest: {
    request: (secrets) => ({
      url: 'https://auth.listrak.com/OAuth2/Token',
      form: {
        grant_type: 'client_credentials',
        ...(crossChannel(secrets) ?? {
          client_id: secrets.LISTRAK_CLIENT_ID,
          client_secret: secrets.LISTRAK_CLIENT_SECRET,
        }),
      },
    }),
  },
  request(context, secrets, eventUID) {
    const { event, user, token } = context
    const headers = { authorization: bearerAuth(token) }
    if (crossChannel(secrets)) {
      if (!eventUID || context.kind === 'user') return { skipped: 'filtered' }
      const url = `${api}/crosschannel/v1/eventConfigurations/${encodeURIComponent(eventUID)}/events`
      return { url, headers, json: { events: [eventOf(context)] } }
    }
    if (context.kind === 'tag' && event.eventName !== 'Purchase') return { skipped: 'filtered' }
    // Orders and customers without an e-mail are only possible in accounts of another kind.
    if (!user.email) return { skipped: 'identityMissing' }
    if (context.kind === 'user') {
      const customer = customerOf(user, mappedTraits(context, secrets.LISTRAK_TRAITS))
      return customer ? { url: `${api}/data/v1/Customer`, headers, json: [customer] } : { skipped: 'filtered' }
    }
    return { url: `${api}/data/v1/Order`, headers, json: [orderOf(context, user.email, user.customerNumber)] }
  },
  batch: { maxEvents: 100, join: joinBodies, joinKey: ({ url }) => url, partialFailures: failedRows },

  // A recipient that Listrak rejects is reported inside a 200.
  errorMessage: 'data.0.errors.0',
  responseRules: [
    { status: 200, path: 'data.0.statusCode', between: [500, 599], verdict: 'retry' },
    { status: 200, path: 'data.0.statusCode', between: [400, 499], verdict: 'refused' },
  ],
})

/** An order of the Data API (https://api.listrak.com/data). Times are in US Eastern time. */
function orderOf({ event, data, items, orderId, coupon, value }: RequestContext, email: string, customer?: string) {
  const orderNumber = truncate(orderId, 50)
  const lines = itemsWithId(items).map((item) => ({
    orderNumber,
    sku: truncate(item.sku ?? item.id, 100),
    price: item.item_price,
    quantity: wholeQuantity(item),
    itemTotal: item.item_price === undefined ? undefined : withoutFloatError(item.item_price * wholeQuantity(item)),
  }))
  return {
    orderNumber,
    email,
    customerNumber: customer,
    dateEntered: localTime(event.timestamp, 'America/New_York'),
    status: 'Completed',
    itemTotal:
      lines.length > 0 ? withoutFloatError(lines.reduce((sum, { itemTotal = 0 }) => sum + itemTotal, 0)) : undefined,
    orderTotal: value,
    shippingTotal: data.shipping,
    taxTotal: data.tax,
    couponCode: truncate(coupon, 32),
    items: lines.length > 0 ? lines : undefined,
  }
}

/**
 * A customer of the Data API (https://api.listrak.com/data). Undefined if only ids are known. The customer is on no
 * list.
 */
function customerOf(
  { email, customerNumber, phone: mobilePhone, ...fields }: Readonly<Record<string, string | undefined>>,
  traits: Readonly<Record<string, FlatValue>> | undefined,
) {
  const meta = Object.entries(traits ?? {}).map(([name, value]) => [name, truncate(String(value), 250)])
  const known = unlessEmpty({ mobilePhone, ...fields, ...Object.fromEntries(meta) })
  return known && { email, customerNumber, ...known }
}

/** An event of the Cross Channel API. Listrak drops fields that its configuration does not declare. */
function eventOf(context: RequestContext<{ email: never; phone: never }>) {
  const { email, phone } = context.user
  const identifiers = [
    ...(email ? [{ identifierType: 'EmailAddress', identifierValue: email }] : []),
    ...(phone ? [{ identifierType: 'PhoneNumber', identifierValue: phone.slice(1) }] : []),
  ]
  const fields = Object.entries(flatProperties(context)).map(([name, value]) => [name, String(value)])
  return { identifiers, dataFields: Object.fromEntries(fields) }
}

type EventsBody = { events: readonly object[] }

/** Joins orders as a list at the top level, and events as a list in `events`. */
function joinBodies(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests
  const bodies = requests.map(({ json }) => json)
  return Array.isArray(first!.json)
    ? { ...first!, json: bodies.flat() }
    : { ...first!, json: { events: bodies.flatMap((body) => (body as EventsBody).events) } }
}

type EventsResponse = { data?: unknown }

type Recipient = { statusCode?: number; errors?: unknown }

/** The recipients in a response are in the order of the sent events. */
function failedRows({ data }: EventsResponse) {
  const recipients: readonly Recipient[] = Array.isArray(data) ? data : []
  return recipients.flatMap(({ statusCode = 200, errors }, row) =>
    statusCode < 400
      ? []
      : [
          {
            row,
            verdict: statusCode < 500 ? ('refused' as const) : ('retry' as const),
            message: JSON.stringify(errors),
          },
        ],
  )
}

type CrossChannelSecrets = { LISTRAK_CC_CLIENT_ID?: string; LISTRAK_CC_CLIENT_SECRET?: string }

/**
 * The two integrations have separate credentials, and a script signs in to one of them: to Cross Channel if its
 * credentials are set.
 */
const crossChannel = ({
  LISTRAK_CC_CLIENT_ID: client_id,
  LISTRAK_CC_CLIENT_SECRET: client_secret,
}: CrossChannelSecrets) => (client_id && client_secret ? { client_id, client_secret } : undefined)
