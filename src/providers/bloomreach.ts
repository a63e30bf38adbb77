import type { EventItem } from '#contract/event.ts'
import { basicAuth } from '#provider/form/authorization.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { withoutFloatError } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { inSteps } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, choice, identifier, password, text, urlCheck } from '#provider/form/variables.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'

const maxCommands = 50

const idName = (name: string) => (/^[\w-]{1,64}$/.test(name) ? undefined : 'Write the name of the id: registered.')

type BatchResponse = { success?: boolean; results?: readonly { success?: boolean; errors?: readonly unknown[] }[] }

/** The results are in the order of the commands. */
const failedRows = ({ results = [] }: BatchResponse) =>
  results.flatMap(({ success, errors }, row) =>
    success === false ? [{ row, message: String(errors?.[0] ?? '') }] : [],
  )

export default provider({
  label: 'Bloomreach Engagement',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://documentation.bloomreach.com/engagement/docs/add-event',
  dashboardUrl: 'https://app.exponea.com',
  links: {
    onboarding: 'https://documentation.bloomreach.com/engagement/docs/tracking-api-overview-2',
    introduction: 'https://documentation.bloomreach.com/engagement/docs/custom-events',
    faq: 'https://documentation.bloomreach.com/engagement/reference/tracking-api-error-messages',
  },
  host: 'tenant',

  secrets: {
    BLOOMREACH_API_BASE_URL: text('API base URL', 'Project settings, Access management, API: of your instance.', {
      placeholder: 'https://api.exponea.com',
      check: urlCheck,
    }),
    BLOOMREACH_PROJECT_TOKEN: identifier('Project token', 'Project settings, General: a UUID.'),
    BLOOMREACH_API_KEY_ID: identifier(
      'API key ID',
      'Project settings, Access management, API: of a private group that may set customer properties and events.',
    ),
    BLOOMREACH_API_SECRET: password('API secret', 'It is shown once, when the private group is made.'),
    BLOOMREACH_HARD_ID: text('Hard ID', 'Its name: Project settings, Customer IDs.', {
      optional: true,
      default: 'registered',
      check: idName,
    }),
    BLOOMREACH_HARD_ID_VALUE: choice(
      'Value of the hard ID',
      'What your project identifies customers by. Another value makes a second customer, so the other is never used.',
      ['email', 'customerId'],
    ),
    BLOOMREACH_SOFT_ID: text('Soft ID', 'Its name: Project settings, Customer IDs. It gets the id of the cookie.', {
      optional: true,
      default: 'cookie',
      check: idName,
    }),
  },

  events: {
    PageView: 'page_visit',
    ViewContent: 'view_item',
    AddToCart: 'cart_update',
    RemoveFromCart: 'cart_update',
    InitiateCheckout: 'checkout',
    AddShippingInfo: 'checkout',
    AddPaymentInfo: 'checkout',
    Purchase: 'purchase',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'lead',
  },
  // The event `consent` gives a consent. No shop event may do so.
  customEventName: (eventName) => (/^\s*consent\s*$/i.test(eventName) ? undefined : truncate(eventName, 255)),
  user: {
    email: plain('email', emailAddress),
    customerId: plain('customerId'),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    gender: plain('gender'),
    birth_date: plain('dateOfBirth'),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  personId: 'customerId',
  // An order with only an e-mail reaches the customer if the hard id is the e-mail. The soft id is the one in the
  // page's cookie.
  requires: ['email', 'customerId', 'captured.__exponea_etc__'],
  captures: [{ query: 'xnpe_cmp', cookie: '__exponea_etc__' }],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'customerId', 'phone', 'captured.__exponea_etc__'],
    medium: ['captured.xnpe_cmp'],
  },
  dedup: 'none: the same event is stored twice; properties.event_id shows it',

  request(context, secrets, event_type) {
    const { kind, event, captured } = context
    const { customerId, ...traits } = context.user
    const cookie = captured.__exponea_etc__?.value
    const customer_ids = customerIds(secrets, { email: traits.email, customerId, cookie })
    if (!customer_ids) return { skipped: 'identityMissing' }
    const project = `${baseUrl(secrets.BLOOMREACH_API_BASE_URL)}/track/v2/projects/${encodeURIComponent(secrets.BLOOMREACH_PROJECT_TOKEN)}`
    const authorization = basicAuth(secrets.BLOOMREACH_API_KEY_ID, secrets.BLOOMREACH_API_SECRET)
    const headers = { authorization, accept: 'application/json' }
    const timestamp = event.timestamp / 1000 // Bloomreach accepts decimals
    const send = (path: string, json: object) => ({ url: `${project}/${path}`, headers, json })
    if (kind === 'user') return send('customers', { customer_ids, properties: traits, update_timestamp: timestamp })
    const sendEvent = (type: string, properties: object) =>
      send('customers/events', { customer_ids, event_type: type, timestamp, properties })
    const bought = event.eventName === 'Purchase' ? itemProperties(context).slice(0, 10 * maxCommands) : []
    const pieces = Array.from({ length: Math.ceil(bought.length / maxCommands) }, (_, n) =>
      bought.slice(n * maxCommands, (n + 1) * maxCommands).map((properties) => sendEvent('purchase_item', properties)),
    )
    const click = captured.xnpe_cmp && { xnpe_cmp: captured.xnpe_cmp.value }
    const eventRequest = sendEvent(event_type, { ...propertiesOf(context), ...click })
    return pieces.length > 0 ? inSteps([eventRequest, ...pieces.map(batchOf)]) : eventRequest
  },
  batch: { maxEvents: maxCommands, join: batchOf, partialFailures: failedRows },

  // A rejection also comes with a 200. The rejection of a command is in the results.
  responseRules: [{ status: 200, matches: /"success"\s{0,9}:\s{0,9}false/, verdict: 'refused' }],
})

/** Bloomreach's page code uses UUIDs as ids. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type IdNames = { BLOOMREACH_HARD_ID: string; BLOOMREACH_HARD_ID_VALUE: string; BLOOMREACH_SOFT_ID: string }

type Known = { email: string | undefined; customerId: string | undefined; cookie: string | undefined }

/** The ids of a customer under the project's names. Undefined if none is known. */
function customerIds(
  { BLOOMREACH_HARD_ID: hardId, BLOOMREACH_HARD_ID_VALUE: value, BLOOMREACH_SOFT_ID: softId }: IdNames,
  { email, customerId, cookie = '' }: Known,
): Record<string, string> | undefined {
  const hard = value === 'customerId' ? customerId : email
  const soft = uuid.exec(cookie)?.[0]
  return hard || soft ? { ...(soft && { [softId]: soft }), ...(hard && { [hardId]: hard }) } : undefined
}

/** Properties that distinguish events with the same name. */
const ownProperties: Readonly<Record<string, object>> = {
  AddToCart: { action: 'add' },
  RemoveFromCart: { action: 'remove' },
  InitiateCheckout: { step_number: 1, step_title: 'checkout' },
  AddShippingInfo: { step_number: 2, step_title: 'shipping' },
  AddPaymentInfo: { step_number: 3, step_title: 'payment' },
  Purchase: { purchase_status: 'success' },
}

const productOf = (item: EventItem) => ({
  product_id: item.id,
  title: item.title,
  variant_id: item.variantId,
  brand: item.brand,
  category: item.category,
  price: item.item_price,
  quantity: wholeQuantity(item),
})

const used = ['value', 'currency', 'contents', 'orderId', 'search', 'discounts', 'checkoutUrl'] as const

/** The properties of an event. Bloomreach accepts any; `product_list` and the related names are customary. */
function propertiesOf({ event, data, items, coupon, value }: RequestContext): object {
  const products = itemsWithId(items)
  const [first] = event.eventName === 'ViewContent' ? products : []
  const properties = {
    ...(first && productOf(first)),
    ...ownProperties[event.eventName],
    ...(event.eventName === 'Purchase' ? { purchase_id: data.orderId } : { order_id: data.orderId }),
    total_price: value,
    local_currency: data.currency,
    event_id: event.eventId,
    voucher_code: coupon,
    total_quantity: totalQuantity(products),
    product_ids: products.length > 0 ? products.map(({ id }) => id) : undefined,
    product_list:
      products.length > 0
        ? products.map((item) => ({ product_id: item.id, quantity: wholeQuantity(item) }))
        : undefined,
    search_term: data.search,
    location: event.pageUrl,
    page_title: event.pageTitle,
    referrer: event.referrer,
  }
  const all = { ...properties, ...remainingData(data, ...used), ...properties }
  return boundedProperties(all, { maxBytes: 60_000, cutsLists: true })
}

/** The properties of each purchased product, for the event `purchase_item`. */
const itemProperties = ({ event, data, items }: RequestContext): object[] =>
  itemsWithId(items).map((item) => ({
    ...productOf(item),
    purchase_id: data.orderId,
    purchase_status: 'success',
    total_price: item.item_price === undefined ? undefined : withoutFloatError(item.item_price * wholeQuantity(item)),
    local_currency: data.currency,
    event_id: event.eventId,
  }))

/** Joins requests into one: each becomes a command, named by the end of its URL. */
function batchOf(requests: readonly RequestSpec[]): RequestSpec {
  const commands = requests.map(({ url, json }, command) => ({
    name: url.slice(url.lastIndexOf('/customers') + 1),
    command_id: String(command),
    data: json,
  }))
  const [first] = requests
  return { ...first!, url: first!.url.replace(/\/customers(\/events)?$/, '/batch'), json: { commands } }
}
