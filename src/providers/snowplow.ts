import type { EventData, EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { toUuid } from '#provider/form/ids.ts'
import { itemsWithId, totalQuantity } from '#provider/form/items.ts'
import { roundedToHundredths } from '#provider/form/money.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'

const actions = {
  ViewContent: 'product_view',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'checkout_step',
  AddShippingInfo: 'checkout_step',
  AddPaymentInfo: 'checkout_step',
  Purchase: 'transaction',
  Refund: 'refund',
  ViewItemList: 'list_view',
  SelectItem: 'list_click',
}

const structuredEvents = { Subscribe: 'Subscribe', Search: 'Search', Lead: 'Lead' }

export default provider({
  label: 'Snowplow',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://docs.snowplow.io/docs/events/http-requests/',
  dashboardUrl: 'https://console.snowplowanalytics.com',
  links: {
    onboarding: 'https://docs.snowplow.io/docs/get-started/tracking/',
    introduction: 'https://docs.snowplow.io/docs/fundamentals/events/',
  },
  host: 'tenant',

  secrets: {
    SNOWPLOW_COLLECTOR_URL: text(
      'Collector',
      'The address of your collector: Console, Pipelines, Collector endpoint.',
      {
        placeholder: 'https://collector.example.com',
        check: urlCheck,
      },
    ),
    SNOWPLOW_APP_ID: identifier('App ID', 'Your own name for the site, in the column app_id.', { placeholder: 'shop' }),
    SNOWPLOW_POST_PATH: text('Path', 'Where the collector takes events, if you have changed it.', {
      optional: true,
      default: '/com.snowplowanalytics.snowplow/tp2',
      check: (path: string) => (/^\/[\w./-]+$/.test(path) ? undefined : 'Write a path that begins with a slash.'),
    }),
    SNOWPLOW_CUSTOM_SCHEMA: text('Schema of custom events', 'Empty: they go as structured events.', {
      ...optional,
      placeholder: 'iglu:com.example/event/jsonschema/1-0-0',
    }),
  },

  events: { PageView: 'pv', ...actions, ...structuredEvents },
  customEventName: (eventName) => eventName,
  user: { uid: plain('customerId'), duid: plain('anonymousId'), ip: plain('ip'), ua: plain('userAgent') },
  personId: 'customerId',
  captures: [{ query: '_sp', cookie: '_sp_id.*' }, { cookie: 'sp' }],
  matchKeys: {
    strong: ['uid', 'captured._sp', 'captured._sp_id.*'],
    medium: ['captured.sp', 'duid'],
  },
  dedup: 'data[].eid: the eventId, as a UUID made of it where it is none',

  request(context, secrets, name) {
    const { event, user } = context
    const row = {
      ...eventFields(name, context, secrets.SNOWPLOW_CUSTOM_SCHEMA),
      eid: toUuid(event.eventId),
      aid: secrets.SNOWPLOW_APP_ID,
      p: 'srv',
      tv: 'aglet-1',
      tna: 'aglet',
      dtm: String(event.timestamp),
      stm: String(context.now),
      ...user,
      ...visitor(context.captured, user.duid),
      url: event.pageUrl,
      page: event.pageTitle,
      refr: event.referrer,
    }
    return {
      url: baseUrl(secrets.SNOWPLOW_COLLECTOR_URL) + secrets.SNOWPLOW_POST_PATH,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': user.ua,
        'x-forwarded-for': user.ip,
      },
      json: { schema: iglu('/payload_data', '1-0-4'), data: [row] },
    }
  },
  // 50 is our own limit: a collector limits bytes only. Each event also holds the visitor's IP address and user agent
  batch: { listPath: 'data', maxEvents: 50, singleEventHeaders: ['user-agent', 'x-forwarded-for'] },
})

/**
 * The event as fields of the tracker protocol: a page view, an e-commerce event, a self-describing event or a
 * structured event.
 */
function eventFields(name: string, context: RequestContext, schema: string | undefined) {
  const { eventName } = context.event
  if (name === 'pv') return { e: 'pv' }
  if (Object.hasOwn(actions, eventName)) return shopEvent(name, context)
  if (schema && !Object.hasOwn(structuredEvents, eventName)) return ownEvent(schema, context)
  return { e: 'se', se_ca: 'ecommerce', se_ac: name, se_la: context.data.search, se_va: context.value?.toString() }
}

const iglu = (path: string, version = '1-0-0') => `iglu:com.snowplowanalytics.snowplow${path}/jsonschema/${version}`

const shop = (name: string, data: object, version?: string) => ({ schema: iglu(`.ecommerce/${name}`, version), data })

const packed = (schema: string, data: unknown) => Buffer.from(JSON.stringify({ schema, data })).toString('base64url')

const count = (value: number) => Math.min(Math.max(0, Math.round(value)), 9_999_999)

const amount = (value = 0) => Math.min(Math.max(0, roundedToHundredths(value)), 9_999_999)

const anAmount = (value: number | undefined) => (value === undefined ? undefined : amount(value))

/**
 * A product entity. An invalid entity makes the collector reject the event, and the schema requires a category:
 * `unknown` if it is missing.
 */
const product = (currency: string) => (item: EventItem) =>
  shop('product', {
    id: item.id,
    name: item.title,
    category: item.category ?? 'unknown',
    price: amount(item.item_price),
    quantity: item.quantity === undefined ? undefined : count(item.quantity),
    variant: truncate(item.variantId, 256),
    brand: truncate(item.brand, 256),
    currency,
  })

const steps: Readonly<Record<string, number>> = { InitiateCheckout: 1, AddShippingInfo: 2, AddPaymentInfo: 3 }

/** The entity of an e-commerce event in addition to its products: a transaction, a refund or a checkout step. */
function subject(name: string, { event, data, items, orderId, coupon, value }: RequestContext) {
  const { currency } = data
  if (name === 'checkout_step') return [shop('checkout_step', { step: steps[event.eventName] })]
  const order = { transaction_id: orderId, currency }
  if (name === 'refund') return [shop('refund', { ...order, refund_amount: amount(value) })]
  if (name !== 'transaction') return []
  const transaction = {
    transaction_id: orderId,
    revenue: amount(value),
    currency,
    payment_method: 'unknown',
    total_quantity: count(totalQuantity(items) ?? 0),
    tax: anAmount(data.tax),
    shipping: anAmount(data.shipping),
    discount_code: truncate(coupon, 99),
  }
  return [shop('transaction', transaction)]
}

function entities(name: string, context: RequestContext): object[] {
  const { currency } = context.data
  if (currency?.length !== 3) return name === 'checkout_step' ? subject(name, context) : []
  return [...subject(name, context), ...itemsWithId(context.items).map(product(currency))]
}

/** An e-commerce event with its entities. */
function shopEvent(name: string, context: RequestContext) {
  const action = shop('snowplow_ecommerce_action', { type: name }, '1-0-2')
  const contexts = entities(name, context)
  const cx = contexts.length > 0 ? packed(iglu('/contexts'), contexts) : undefined
  return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), action), cx }
}

/** A self-describing event with the customer's own schema. */
function ownEvent(schema: string, { event: { eventName, data } }: RequestContext) {
  const fields: EventData = { eventName, ...remainingData(data) }
  return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), { schema, data: fields }) }
}

/** The ids in the cookie `_sp_id.<hash>`, otherwise in the cross-domain parameter `_sp`, which holds only the first one. */
function visitor(captured: CapturedValues, userId: string | undefined) {
  const name = Object.keys(captured).find((key) => /^_sp_id(\.|$)/.test(key)) ?? '_sp'
  const parts = captured[name]?.value.split('.') ?? []
  return { duid: parts[0] || userId, sid: parts[5], tnuid: captured.sp?.value }
}
