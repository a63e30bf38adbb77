import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { now, tagId } from './edge.fixture.ts'
import { key, openSource } from './source.fixture.ts'

const openSnowplow = (t: TestContext) => openSource(t, 'snowplow')
const tp2 = '/com.snowplowanalytics.snowplow/tp2'
const schema = 'iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4'
const device = '6b1f4a0e-0c3b-4a55-9d2e-3f6a5b7c8d90'
const bearer = { authorization: `Bearer ${key}` }
const own = (name: string) => `iglu:com.snowplowanalytics.snowplow/${name}/jsonschema/1-0-0`
const shop = (name: string) => `iglu:com.snowplowanalytics.snowplow.ecommerce/${name}/jsonschema/1-0-0`
const common = { tv: 'node-4.8.0', p: 'web', aid: 'shop', duid: device, dtm: `${now - 5000}`, stm: `${now - 4000}` }
const unstruct = (data: object) => ({ e: 'ue', ue_pr: JSON.stringify({ schema: own('unstruct_event'), data }) })
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const entities = (...data: object[]) => ({ schema: own('contexts'), data })

const product = {
  schema: shop('product'),
  data: { id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, currency: 'EUR', size: 'M' },
}
const transaction = {
  schema: shop('transaction'),
  data: { transaction_id: 'A-1001', revenue: 59.98, currency: 'EUR', payment_method: 'card' },
}
const action = (type: string) => ({ schema: shop('snowplow_ecommerce_action'), data: { type } })

test('page views, actions of the e-commerce plugin and searches are standard events', async (t) => {
  const edge = await openSnowplow(t)
  const page = { url: 'https://shop.example/?fbclid=c', page: 'Home', refr: 'https://other.example/' }
  const data = [
    { ...common, e: 'pv', eid: 'v', ...page },
    {
      ...common,
      ...unstruct(action('transaction')),
      eid: 't',
      uid: '42',
      co: JSON.stringify(entities(product, transaction)),
    },
    {
      ...common,
      e: 'ue',
      ue_px: base64({ schema: own('unstruct_event'), data: action('add_to_cart') }),
      cx: base64(entities(product)),
      eid: 'a',
    },
    {
      ...common,
      ...unstruct({ schema: own('site_search'), data: { terms: ['rain', 'jacket'], totalResults: 3 } }),
      eid: 's',
    },
  ]
  const got = await edge.send(tp2, { schema, data }, bearer)
  assert.deepEqual([got.status, got.text], [200, 'ok'])
  const stored = edge.events()
  assert.deepEqual(
    stored.map(({ event }) => [event.eventName, event.eventId, event.timestamp]),
    [
      ['PageView', 'v', now - 1000],
      ['Purchase', 't', now - 1000],
      ['AddToCart', 'a', now - 1000],
      ['Search', 's', now - 1000],
    ],
  )
  assert.deepEqual(
    [stored[0]!.event.pageUrl, stored[0]!.event.pageTitle, stored[0]!.event.referrer],
    Object.values(page),
  )
  const { entities: kept, ...purchase } = stored[1]!.event.data!
  const item = { id: 'sku-1', title: 'Runner', item_price: 29.99, quantity: 2, currency: 'EUR', size: 'M' }
  assert.deepEqual(purchase, {
    orderId: 'A-1001',
    value: 59.98,
    currency: 'EUR',
    payment_method: 'card',
    contents: [item],
  })
  assert.deepEqual(
    (kept as { name: string }[]).map(({ name }) => name),
    ['product', 'transaction'],
  )
  assert.deepEqual([stored[2]!.event.data!.value, stored[2]!.event.data!.currency], [59.98, 'EUR'])
  assert.equal(stored[3]!.event.data!.search, 'rain jacket')
  assert.deepEqual([...new Set(stored.map(({ userId }) => userId))], [device])
})

test('the earlier functions of the trackers are read: cart, transaction with its items, structured events', async (t) => {
  const edge = await openSnowplow(t)
  const cart = { sku: 'sku-1', name: 'Runner', unitPrice: 1, unit_price: 29.99, quantity: 2, currency: 'EUR' }
  const data = [
    { ...common, ...unstruct({ schema: own('add_to_cart'), data: cart }), eid: 'a' },
    { ...common, e: 'tr', eid: 't', tr_id: 'A-1', tr_tt: '59.98', tr_tx: '9', tr_sh: 5, tr_cu: 'EUR' },
    { ...common, e: 'ti', eid: 'i', ti_id: 'A-1', ti_sk: 'sku-1', ti_nm: 'Runner', ti_pr: '29.99', ti_qu: '2' },
    { ...common, e: 'se', eid: 's', se_ca: 'video', se_ac: 'play', se_va: '3' },
  ]
  assert.equal((await edge.send(tp2, { schema, data }, bearer)).status, 200)
  const item = { id: 'sku-1', title: 'Runner', item_price: 29.99, quantity: 2 }
  assert.deepEqual(
    edge.events().map(({ event }) => [event.eventName, event.data]),
    [
      ['AddToCart', { contents: [{ ...item, unitPrice: 1 }], value: 59.98, currency: 'EUR' }],
      ['Purchase', { orderId: 'A-1', value: 59.98, tax: 9, shipping: 5, currency: 'EUR', contents: [item] }],
      ['transaction_item', { orderId: 'A-1', ...item }],
      ['play', { category: 'video', value: 3 }],
    ],
  )
})

test('a consent that the visitor gives is the consent of the event', async (t) => {
  const edge = await openSnowplow(t)
  const consent = (eid: string, eventType: string, consentScopes: string[]) => ({
    ...common,
    ...unstruct({ schema: own('consent_preferences'), data: { eventType, consentScopes } }),
    eid,
  })
  const data = [
    consent('1', 'allow_selected', ['marketing']),
    consent('2', 'deny_all', []),
    consent('3', 'pending', []),
  ]
  await edge.send(tp2, { schema, data }, bearer)
  assert.deepEqual(
    edge.events().map(({ event }) => event.storage),
    [{ service: { consentCategories: { advertising: true } } }, { service: { consentCategories: { all: false } } }, {}],
  )
})

test('one payload comes by GET and is answered with a pixel', async (t) => {
  const edge = await openSnowplow(t)
  const answer = await fetch(
    `http://127.0.0.1:${edge.port}/t/${tagId}/i?${new URLSearchParams({ ...common, e: 'pv', eid: 'g' })}`,
  )
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif'])
  assert.equal(edge.events()[0]!.event.eventId, 'g')
  assert.equal(edge.events()[0]!.context.trusted, false)
})

test('what is broken is rejected alone; a wrong key and a body that cannot be read are refused for good', async (t) => {
  const edge = await openSnowplow(t)
  const data = [
    { ...common, e: 'ue', eid: 'u', ue_px: '!!!' },
    { ...common, e: 'ue', eid: 'w', ue_pr: '{"data":{"schema":"x"}}' },
    { ...common, e: 'xx', eid: 'x' },
    7,
  ]
  assert.equal((await edge.send(tp2, { schema, data }, bearer)).status, 200)
  const [kept, ...others] = edge.events()
  assert.deepEqual([kept!.event.eventName, others.length], ['xx', 0])
  const status = async (body: unknown, headers: object = bearer) => (await edge.send(tp2, body, { ...headers })).status
  assert.equal(await status({ schema, data: [data[0]] }), 400)
  assert.equal(await status({ schema }), 400)
  assert.equal(await status('{'), 400)
  assert.equal(await status({ schema, data }, { authorization: 'Bearer wrong' }), 401)
  assert.equal(await status({ schema, data: Array(501).fill(data[2]) }), 400)
  assert.equal(
    await status({ schema, data: [{ ...common, e: 'pv', eid: 'f', dtm: `${now + 3_600_000}`, stm: undefined }] }),
    200,
  )
  assert.equal(edge.events().at(-1)!.event.timestamp, now)
})

test('half a surrogate pair is replaced also within base64 and in a query, which the body does not show', async (t) => {
  const edge = await openSnowplow(t)
  const described = { schema: own('unstruct_event'), data: { schema: own('note'), data: { text: 'a\ud800' } } }
  const data = [{ ...common, e: 'ue', eid: 'post', ue_px: base64(described) }]
  assert.equal((await edge.send(tp2, { schema, data }, bearer)).status, 200)
  const query = new URLSearchParams({ ...common, e: 'ue', eid: 'get', ue_pr: JSON.stringify(described) })
  assert.equal((await edge.send(`/i?${query}`, undefined, bearer, 'GET')).status, 200)
  assert.deepEqual(
    edge.events().map(({ event }) => [event.eventId, event.data?.text]),
    [
      ['post', 'a\ufffd'],
      ['get', 'a\ufffd'],
    ],
  )
})
