import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart, eventOfEach } from '#provider/form/exampleData.ts'

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
const others = { Subscribe: 'Subscribe', Search: 'Search', Lead: 'Lead' }
const secrets = { SNOWPLOW_COLLECTOR_URL: 'https://collector.shop.example', SNOWPLOW_APP_ID: 'shop' }
const example = exampleLike({ secrets })

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The fields of an e-commerce event with `cart`. */
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

/** The expected requests; the arguments differ between the examples. */
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

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent({ e: 'ue', ue_px: shopped('Purchase').ue_px })[0]!, {
    body: { data: [{ ue_px: undefined, e: 'se', se_ca: 'ecommerce', se_ac: 'Lead', duid: 'usr_1', ...person }] },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a page view with cookies', {
    event: {
      eventName: 'PageView',
      pageUrl: 'https://shop.example/',
      pageTitle: 'Shop',
      referrer: 'https://a.example/',
    },
    user: { customerId: 'customer-1', ip: '81.2.69.142', userAgent: 'Mozilla/5.0 \u2713' },
    captured: { '_sp_id.1fff': '6de9024e.1699000000.3.1699999999.1699990000.0f1b8d0e', sp: 'nuid-1' },
    sends: sent(
      {
        e: 'pv',
        uid: 'customer-1',
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
  }),
  ...eventOfEach(actions).map((event) =>
    example(`${event.eventName} with the items of the cart`, {
      event: { ...event, eventId: 'C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11' },
      sends: sent({ ...shopped(event.eventName), eid: 'c73bcdcc-2644-4a43-9f5e-0f6a0f2b8c11' }),
    }),
  ),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} as a structured event`, {
      event: { ...event, data: { ...event.data, search: 'shoes' } },
      secrets: { SNOWPLOW_POST_PATH: '/com.shop/events' },
      sends: sent(
        { e: 'se', se_ca: 'ecommerce', se_ac: event.eventName, se_la: 'shoes', se_va: '59.98' },
        {},
        '/com.shop/events',
      ),
    }),
  ),
  example('a custom event with the customer’s schema, without personal fields', {
    event: { eventName: 'Quiz finished', data: { score: 7, userEmail: 'ada@example.com' } },
    captured: { _sp: '6de9024e.1699000000' },
    secrets: { SNOWPLOW_CUSTOM_SCHEMA: 'iglu:com.shop/quiz/jsonschema/1-0-0' },
    sends: sent({
      e: 'ue',
      ue_px: base64({
        schema: 'iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0',
        data: { schema: 'iglu:com.shop/quiz/jsonschema/1-0-0', data: { eventName: 'Quiz finished', score: 7 } },
      }),
      duid: '6de9024e',
    }),
  }),
  example('an order without a currency omits the entities that require one', {
    event: { eventName: 'Purchase', data: { value: 10 } },
    sends: sent({ e: 'ue', ue_px: shopped('Purchase').ue_px }),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: sentForPerson({}), email: sentForPerson({}), customer: sentForPerson({ uid: 'customer-1' }) },
  ),
]
