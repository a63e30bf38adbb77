import type { EventData, Item, TagEvent } from '#contract/event.ts'
import { cart, oneOfEach } from '#provider/examples.ts'
import { plain } from '#provider/identity.ts'
import { uuidOf } from '#provider/ids.ts'
import { piecesIn } from '#provider/items.ts'
import { hundredths } from '#provider/money.ts'
import { type Captured, provider } from '#provider/provider.ts'
import { withoutPerson } from '#provider/read.ts'
import { addressCheck, identifier, optional, text } from '#provider/variables.ts'

const iglu = (path: string, version = '1-0-0') => `iglu:com.snowplowanalytics.snowplow${path}/jsonschema/${version}`
const shop = (name: string, data: object, version?: string) => ({ schema: iglu(`.ecommerce/${name}`, version), data })
const packed = (schema: string, data: unknown) => Buffer.from(JSON.stringify({ schema, data })).toString('base64url')

const amount = (value = 0) => Math.min(Math.max(0, hundredths(value)), 9_999_999)
const count = (value: number) => Math.min(Math.max(0, Math.round(value)), 9_999_999)

/** The schemas refuse an entity that lacks a part, and with it the event: what is not known is said to be unknown. */
const product = (currency: string) => (item: Item) =>
  shop('product', {
    id: item.id,
    name: item.title,
    category: item.category ?? 'unknown',
    price: amount(item.item_price),
    quantity: item.quantity === undefined ? undefined : count(item.quantity),
    variant: item.variantId?.slice(0, 256),
    brand: item.brand?.slice(0, 256),
    currency,
  })

const steps: Readonly<Record<string, number>> = { InitiateCheckout: 1, AddShippingInfo: 2, AddPaymentInfo: 3 }

/** What an event of the shop is about, besides its products: an order, a refund, a step of the checkout. */
function subject(
  name: string,
  { eventName, eventId, data = {} }: TagEvent,
  value: number | undefined,
  currency: string,
) {
  const transaction_id = data.orderId ?? eventId
  if (name === 'checkout_step') return [shop('checkout_step', { step: steps[eventName] })]
  if (name === 'refund') return [shop('refund', { transaction_id, currency, refund_amount: amount(value) })]
  if (name !== 'transaction') return []
  return [
    shop('transaction', {
      transaction_id,
      revenue: amount(value),
      currency,
      payment_method: 'unknown',
      total_quantity: count(piecesIn(data.contents ?? [])),
      tax: data.tax === undefined ? undefined : amount(data.tax),
      shipping: data.shipping === undefined ? undefined : amount(data.shipping),
      discount_code: data.discounts?.[0]?.code?.slice(0, 99),
    }),
  ]
}

function entities(name: string, event: TagEvent, value: number | undefined): object[] {
  const { currency, contents = [] } = event.data ?? {}
  if (currency?.length !== 3) return name === 'checkout_step' ? subject(name, event, value, '') : []
  return [...subject(name, event, value, currency), ...contents.filter(({ id }) => id).map(product(currency))]
}

/** What happened, in the fields of the tracker protocol: a page view, an event of the shop, or one of a name and a value. */
function happened(name: string, event: TagEvent, value: number | undefined, schema: string | undefined) {
  if (name === 'pv') return { e: 'pv' }
  if (Object.hasOwn(actions, event.eventName)) {
    const action = shop('snowplow_ecommerce_action', { type: name }, '1-0-2')
    const context = entities(name, event, value)
    const cx = context.length > 0 ? packed(iglu('/contexts'), context) : undefined
    return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), action), cx }
  }
  const data: EventData = { eventName: event.eventName, ...withoutPerson(event.data) }
  if (schema && !Object.hasOwn(others, event.eventName))
    return { e: 'ue', ue_px: packed(iglu('/unstruct_event'), { schema, data }) }
  return { e: 'se', se_ca: 'ecommerce', se_ac: name, se_la: event.data?.search, se_va: value?.toString() }
}

/** The cookie `_sp_id.<hash>`, else the parameter that carries its first part from one site to the next. */
function visitor(captured: Captured) {
  const name = Object.keys(captured).find((key) => /^_sp_id(\.|$)/.test(key)) ?? '_sp'
  const parts = captured[name]?.value.split('.') ?? []
  return { duid: parts[0] || undefined, sid: parts[5], tnuid: captured.sp?.value }
}

const actions = {
  ViewContent: 'product_view',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'checkout_step',
  AddShippingInfo: 'checkout_step',
  AddPaymentInfo: 'checkout_step',
  Purchase: 'transaction',
  Refund: 'refund',
}
const others = { Subscribe: 'Subscribe', Search: 'Search', Lead: 'Lead' }
const json = { 'content-type': 'application/json; charset=utf-8' }
const secrets = { SNOWPLOW_COLLECTOR_URL: 'https://collector.shop.example', SNOWPLOW_APP_ID: 'shop' }

export default provider({
  label: 'Snowplow',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://docs.snowplow.io/docs/events/http-requests/',
  dashboardUrl: 'https://console.snowplowanalytics.com',
  host: 'customer',

  secrets: {
    SNOWPLOW_COLLECTOR_URL: text(
      'Collector',
      'The address of your collector: Console, Pipelines, Collector endpoint.',
      {
        placeholder: 'https://collector.example.com',
        check: addressCheck,
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

  events: { PageView: 'pv', ...actions, ...others },
  custom: (eventName) => eventName,
  user: { uid: plain('userId'), ip: plain('ip'), ua: plain('userAgent') },
  captures: [{ query: '_sp', cookie: '_sp_id.*' }, { cookie: 'sp' }],
  dedup: 'data[].eid: the eventId, as a UUID made of it where it is none',

  request({ event, user, value, captured, now }, secrets, name) {
    return {
      url: secrets.SNOWPLOW_COLLECTOR_URL.replace(/\/+$/, '') + secrets.SNOWPLOW_POST_PATH,
      headers: { ...json, 'user-agent': user.ua, 'x-forwarded-for': user.ip },
      json: {
        schema: iglu('/payload_data', '1-0-4'),
        data: [
          {
            ...happened(name, event, value, secrets.SNOWPLOW_CUSTOM_SCHEMA),
            eid: uuidOf(event.eventId),
            aid: secrets.SNOWPLOW_APP_ID,
            p: 'srv',
            tv: 'aglet-1',
            tna: 'aglet',
            dtm: String(event.timestamp),
            stm: String(now),
            ...user,
            ...visitor(captured),
            url: event.pageUrl,
            page: event.pageTitle,
            refr: event.referrer,
          },
        ],
      },
    }
  },
  // the cap is ours: a collector counts bytes; what it reads of a visitor from headers stands in each event too
  many: {
    most: 50,
    join: ([first, ...rest]) => ({
      ...first!,
      headers: json,
      json: {
        ...(first!.json as object),
        data: [first!, ...rest].flatMap((send) => (send.json as { data: object[] }).data),
      },
    }),
  },

  examples: [
    {
      title: 'a page view of a visitor whose cookies are known',
      event: {
        eventName: 'PageView',
        pageUrl: 'https://shop.example/',
        pageTitle: 'Shop',
        referrer: 'https://a.example/',
      },
      user: { userId: 'usr_1', ip: '81.2.69.142', userAgent: 'Mozilla/5.0 \u2713' },
      captured: { '_sp_id.1fff': '6de9024e.1699000000.3.1699999999.1699990000.0f1b8d0e', sp: 'nuid-1' },
      secrets,
      sends: sent(
        {
          e: 'pv',
          uid: 'usr_1',
          ip: '81.2.69.142',
          ua: 'Mozilla/5.0 \u2713',
          duid: '6de9024e',
          sid: '0f1b8d0e',
          tnuid: 'nuid-1',
          url: 'https://shop.example/',
          page: 'Shop',
          refr: 'https://a.example/',
        },
        { 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '81.2.69.142' },
      ),
    },
    ...oneOfEach(actions).map((event) => ({
      title: `${event.eventName} with what is in the cart`,
      event: { ...event, eventId: 'C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11' },
      secrets,
      sends: sent({ ...shopped(event.eventName), eid: 'c73bcdcc-2644-4a43-9f5e-0f6a0f2b8c11' }),
    })),
    ...oneOfEach(others).map((event) => ({
      title: `${event.eventName} as a structured event`,
      event: { ...event, data: { ...event.data, search: 'shoes' } },
      secrets: { ...secrets, SNOWPLOW_POST_PATH: '/com.shop/events' },
      sends: sent(
        { e: 'se', se_ca: 'ecommerce', se_ac: event.eventName, se_la: 'shoes', se_va: '59.98' },
        {},
        '/com.shop/events',
      ),
    })),
    {
      title: 'a custom event under a schema of the customer, the person left out',
      event: { eventName: 'Quiz finished', data: { score: 7, userEmail: 'ada@example.com' } },
      captured: { _sp: '6de9024e.1699000000' },
      secrets: { ...secrets, SNOWPLOW_CUSTOM_SCHEMA: 'iglu:com.shop/quiz/jsonschema/1-0-0' },
      sends: sent({
        e: 'ue',
        ue_px: base64({
          schema: 'iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0',
          data: { schema: 'iglu:com.shop/quiz/jsonschema/1-0-0', data: { eventName: 'Quiz finished', score: 7 } },
        }),
        duid: '6de9024e',
      }),
    },
    {
      title: 'an order without a currency goes without the parts that need one',
      event: { eventName: 'Purchase', data: { value: 10 } },
      secrets,
      sends: sent({ e: 'ue', ue_px: shopped('Purchase').ue_px }),
    },
  ],
})

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The fields of an event of the shop with what is in the cart. */
function shopped(eventName: string) {
  const vendor = 'iglu:com.snowplowanalytics.snowplow'
  const of = (name: string, data: object, version = '1-0-0') => ({
    schema: `${vendor}.ecommerce/${name}/jsonschema/${version}`,
    data,
  })
  const type = actions[eventName as keyof typeof actions]
  const order = { transaction_id: 'C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11' }
  const abouts: Record<string, object> = {
    transaction: { ...order, revenue: 59.98, currency: 'EUR', payment_method: 'unknown', total_quantity: 2 },
    refund: { ...order, currency: 'EUR', refund_amount: 59.98 },
    checkout_step: { step: ['InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo'].indexOf(eventName) + 1 },
  }
  const { title: name, category, quantity, variantId: variant, id, item_price: price } = cart.contents[0]!
  const item = of('product', { id, name, category, price, quantity, variant, currency: 'EUR' })
  const about = abouts[type] ? [of(type, abouts[type])] : []
  const action = of('snowplow_ecommerce_action', { type }, '1-0-2')
  return {
    e: 'ue',
    ue_px: base64({ schema: `${vendor}/unstruct_event/jsonschema/1-0-0`, data: action }),
    cx: base64({ schema: `${vendor}/contexts/jsonschema/1-0-0`, data: [...about, item] }),
  }
}

/** What goes to the collector of one event: the examples say only what they add. */
function sent(fields: object, headers: object = {}, path = '/com.snowplowanalytics.snowplow/tp2') {
  const eid = '508c91af-267b-52ee-b6b8-2c3ae169ff43'
  const common = { eid, aid: 'shop', p: 'srv', tv: 'aglet-1', tna: 'aglet', dtm: '1700000000000', stm: '1700000001000' }
  return [
    {
      url: `https://collector.shop.example${path}`,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: {
        schema: 'iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4',
        data: [{ ...common, ...fields }],
      },
    },
  ]
}
