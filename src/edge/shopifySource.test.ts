import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { recordEvents } from '#event/record.ts'
import type { StoredShop } from '#store/snapshot.ts'
import {
  type FakeOrder,
  fakeOrder,
  shopifyOrderJson,
  shopifyRefundJson,
  shopifyWebhook,
  type Webhook,
} from '../../test/fake/shop.ts'
import { now, openTestEdge, tagId } from './edge.fixture.ts'
import { openShopEdge, shopKey } from './shop.fixture.ts'

const shop = { shop: 'potter.myshopify.com', key: shopKey }
const visitor = '6b1f4a0e-0c3b-4a55-9d2e-3f6a5b7c8d90'
const bigId = '820982911946154508'

const openShopify = (t: TestContext, options: Partial<StoredShop> = {}) =>
  openShopEdge(t, { source: 'shopify', shop: shop.shop, ...options })

const orderWebhook = (order: FakeOrder, topic = 'orders/create'): Webhook =>
  shopifyWebhook(shop, topic, shopifyOrderJson(order))

const refused = async (edge: Awaited<ReturnType<typeof openShopify>>, webhook: Webhook) => {
  const got = await edge.post('/shopify/webhook', webhook)
  assert.equal(got.status, 401, got.text)
  assert.deepEqual([edge.events(), edge.orders], [[], []])
}

test('an order of Shopify becomes a purchase with every digit of its ids, the buyer, the device and what the page stored', async (t) => {
  const edge = await openShopify(t)
  const attributes = { _aglet_user: visitor, _fbp: 'fb.1.2.3', _aglet_consent: '{"analytics":true,"marketing":true}' }
  const order = fakeOrder({
    id: bigId,
    number: '1001',
    placedAt: now - 4000,
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    attributes,
  })
  const got = await edge.post('/shopify/webhook', orderWebhook(order))
  assert.equal(got.status, 200, got.text)
  assert.deepEqual(got.json, { result: [{ eventId: `purchase-${bigId}`, status: 'accepted' }] })
  const [{ event, userId, context } = assert.fail('no event')] = edge.events()
  assert.deepEqual([userId, context.trusted, context.hasExplicitUserId], [visitor, true, true])
  const { storage, source, ...fields } = event
  assert.deepEqual(fields, {
    eventName: 'Purchase',
    eventId: `purchase-${bigId}`,
    timestamp: now - 4000,
    data: {
      orderId: '1001',
      value: 119,
      currency: 'EUR',
      tax: 19,
      shipping: 5,
      discount: 0,
      contents: [
        {
          id: '632910392',
          variantId: '808950810',
          sku: 'MUG-1',
          title: 'Mug',
          brand: 'Potter',
          quantity: 2,
          item_price: 57,
        },
      ],
    },
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    pageUrl: 'https://shop.example/?gclid=click-1',
    referrer: 'https://www.example.org/',
    userEmail: order.email,
    userPhone: '+49 30 901820',
    userCustomerId: order.customerId,
    userFirstName: 'Ada',
    userLastName: 'Lovelace',
    userCity: 'Berlin',
    userZip: '10115',
    userCountry: 'DE',
  })
  assert.deepEqual((storage as Record<string, unknown>).data, { shopify: { _fbp: 'fb.1.2.3', fbp: 'fb.1.2.3' } })
  assert.deepEqual((storage as Record<string, unknown>).service, {
    consentCategories: { analytics: true, advertising: true },
  })
  assert.equal((source as { name: string }).name, 'shopify')
})

test('the row of an order has its ids, sums and version, and nothing about the buyer', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: bigId, number: '1001', placedAt: now - 4000, updatedAt: now - 1000, ip: '203.0.113.7' })
  await edge.post('/shopify/webhook', orderWebhook(order))
  const [{ order: row, purchase } = assert.fail('no order')] = edge.orders
  assert.deepEqual(row, {
    source: 'shopify',
    orderId: '1001',
    aliases: [bigId, `purchase-${bigId}`, `gid://shopify/Order/${bigId}`, order.token],
    placedAt: now - 4000,
    updatedAt: now - 1000,
    status: 'paid',
    salesChannel: 'web',
    value: 119,
    currency: 'EUR',
    tax: 19,
    shipping: 5,
    discount: 0,
    refunded: 0,
  })
  assert.ok(!/example\.com|Ada|203\.0/.test(JSON.stringify(row)))
  assert.equal(purchase?.event.eventId, `purchase-${bigId}`)
})

test('a webhook without the signature of the shop over its exact bytes is 401, and nothing is stored', async (t) => {
  const edge = await openShopify(t)
  const good = orderWebhook(fakeOrder({ id: '1', placedAt: now }))
  const { 'x-shopify-hmac-sha256': _, ...unsigned } = good.headers
  await refused(edge, { ...good, headers: unsigned })
  await refused(edge, { ...good, body: `${good.body} ` })
  await refused(edge, { ...good, body: good.body.replaceAll(String.raw`\/`, '/') })
  await refused(edge, shopifyWebhook({ ...shop, key: 'another key of 32 characters ...' }, 'orders/create', good.body))
  await refused(edge, shopifyWebhook({ ...shop, key: '' }, 'orders/create', good.body))
  await refused(edge, shopifyWebhook({ ...shop, shop: 'other.myshopify.com' }, 'orders/create', good.body))
  for (const text of ['', 'AAAA', `${good.headers['x-shopify-hmac-sha256']}x`, 'é'.repeat(22)])
    if (Buffer.from(text, 'base64').toString('base64') !== good.headers['x-shopify-hmac-sha256'])
      await refused(edge, {
        ...good,
        headers: { ...good.headers, 'x-shopify-hmac-sha256': Buffer.from(text).toString('latin1') },
      })
  assert.equal((await edge.post('/shopify/webhook', good)).status, 200)
})

test('a shop without a key refuses every webhook, also one signed with an empty key', async (t) => {
  const edge = await openShopEdge(t, { source: 'shopify', shop: shop.shop }, {})
  const body = shopifyOrderJson(fakeOrder({ id: '1', placedAt: now }))
  await refused(edge, shopifyWebhook({ ...shop, key: '' }, 'orders/create', body))
  await refused(edge, shopifyWebhook(shop, 'orders/create', body))
})

test('a tag without the shop, and one whose source is off, take no webhook', async (t) => {
  const webhook = orderWebhook(fakeOrder({ id: '1', placedAt: now }))
  const send = { path: `/t/${tagId}/shopify/webhook`, ...webhook }
  const off = await openTestEdge(t)
  const empty = await openTestEdge(t, { tag: { sources: ['shopify'] } })
  assert.deepEqual([(await off.ask(send)).status, (await empty.ask(send)).status], [404, 401])
})

test('while a key is replaced, the old one and the new one are accepted', async (t) => {
  const [older, newer] = ['old key of 32 characters ........', 'new key of 32 characters ........']
  const edge = await openShopEdge(
    t,
    { source: 'shopify', shop: shop.shop },
    { WEBHOOK_KEY: newer, PREVIOUS_WEBHOOK_KEY: older },
  )
  for (const [at, key] of [older, newer].entries()) {
    const body = shopifyOrderJson(fakeOrder({ id: `10${at}`, placedAt: now }))
    assert.equal(
      (await edge.post('/shopify/webhook', shopifyWebhook({ ...shop, key }, 'orders/create', body))).status,
      200,
    )
  }
})

test('repeated and reordered webhooks of an order make one purchase', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '77', placedAt: now - 5000 })
  const topics = ['orders/updated', 'orders/paid', 'orders/create', 'orders/create', 'orders/paid', 'orders/updated']
  const statuses: string[] = []
  for (const topic of topics) {
    const got = await edge.post('/shopify/webhook', orderWebhook(order, topic))
    assert.equal(got.status, 200)
    statuses.push(...(got.json.result as { status: string }[]).map(({ status }) => status))
  }
  assert.deepEqual(statuses, ['accepted', 'duplicate', 'duplicate', 'duplicate'])
  assert.equal(edge.orders.length, topics.length)
})

test('an order that is updated before it is created is stored at once, and becomes a purchase when it is created', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '78', placedAt: now - 5000, updatedAt: now - 1000 })
  const early = await edge.post('/shopify/webhook', orderWebhook(order, 'orders/updated'))
  assert.deepEqual([early.status, early.json.result, edge.orders.length], [200, [], 1])
  const late = await edge.post('/shopify/webhook', orderWebhook({ ...order, updatedAt: order.placedAt }))
  assert.equal(late.json.result[0].status, 'accepted')
})

test('a webhook that comes after eight days stores the order, and its purchase is rejected as too old', async (t) => {
  const edge = await openShopify(t)
  const got = await edge.post('/shopify/webhook', orderWebhook(fakeOrder({ id: '79', placedAt: now - 8 * 86_400_000 })))
  assert.deepEqual([got.status, got.json.result[0].status, edge.orders.length], [200, 'rejected', 1])
  assert.deepEqual(edge.events(), [])
})

test('tests, cancelled orders and orders of other sales channels are listed and not sent', async (t) => {
  const edge = await openShopify(t)
  const make = (id: string, more: Partial<FakeOrder>) => fakeOrder({ id, placedAt: now - 5000, ...more })
  const orders = [make('1', { isTest: true }), make('2', { isCancelled: true }), make('3', { channel: 'pos' })]
  orders.push(make('4', { channel: 'shopify_draft_order' }), make('5', { channel: '1354745' }))
  for (const order of orders) await edge.post('/shopify/webhook', orderWebhook(order))
  assert.deepEqual(edge.events(), [])
  assert.deepEqual(
    edge.orders.map(({ order }) => [order.status, order.salesChannel]),
    [
      ['test', 'web'],
      ['cancelled', 'web'],
      ['paid', 'pos'],
      ['paid', 'draft'],
      ['paid', 'app'],
    ],
  )
})

test('with purchaseOn paid an order becomes a purchase when it is paid', async (t) => {
  const edge = await openShopify(t, { purchaseOn: 'paid' })
  const open = fakeOrder({ id: '80', placedAt: now - 9000, isPaid: false })
  assert.deepEqual((await edge.post('/shopify/webhook', orderWebhook(open))).json.result, [])
  const paid = { ...open, isPaid: true, updatedAt: now - 2000 }
  const got = await edge.post('/shopify/webhook', orderWebhook(paid, 'orders/paid'))
  assert.equal(got.json.result[0].status, 'accepted')
  assert.equal(edge.events()[0]?.event.timestamp, now - 2000)
})

test('each refund of an order is one event of the buyer, by whichever webhook it comes first; one above the order is kept as it is', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '90', number: '1090', placedAt: now - 9000, attributes: { _aglet_user: visitor } })
  await edge.post('/shopify/webhook', orderWebhook(order))
  const first = { id: '501', amount: '50.00', at: now - 3000 }
  const second = { id: '502', amount: '500.00', at: now - 2000 }
  const created = await edge.post(
    '/shopify/webhook',
    shopifyWebhook(shop, 'refunds/create', shopifyRefundJson(order, first)),
  )
  assert.deepEqual(created.json.result, [{ eventId: 'refund-501', status: 'accepted' }])
  const updated = orderWebhook({ ...order, updatedAt: now - 2000, refunds: [first, second] }, 'orders/updated')
  const got = await edge.post('/shopify/webhook', updated)
  assert.deepEqual(
    got.json.result.map(({ eventId, status }: { eventId: string; status: string }) => [eventId, status]),
    [
      ['refund-501', 'duplicate'],
      ['refund-502', 'accepted'],
    ],
  )
  const refunds = edge.events().filter(({ event }) => event.eventName === 'Refund')
  for (const { event, userId } of refunds)
    assert.deepEqual([userId, event.userEmail, event.data?.orderId], [visitor, order.email, '1090'])
  assert.deepEqual(
    refunds.slice(0, 2).map(({ event }) => event.data?.value),
    [50, 50],
  )
  assert.deepEqual([edge.orders.at(-1)?.order.refunded, edge.orders.at(-1)?.order.value], [550, 119])
})

test('a refund whose order is not known, other topics and broken orders are answered with 200 and the reason', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '91', placedAt: now })
  const bodies: [string, string][] = [
    ['refunds/create', shopifyRefundJson(order, { id: '1', amount: '5.00', at: now })],
    ['app/uninstalled', '{"id":1}'],
    ['orders/create', '{"id":1}'],
    ['orders/create', '[]'],
    ['orders/create', shopifyOrderJson({ ...order, currency: '' })],
  ]
  for (const [topic, body] of bodies) {
    const got = await edge.post('/shopify/webhook', shopifyWebhook(shop, topic, body))
    assert.equal(got.status, 200, `${topic} ${got.text}`)
    assert.ok(got.json.ignored, topic)
  }
  assert.deepEqual(edge.events(), [])
  const broken = await edge.post('/shopify/webhook', shopifyWebhook(shop, 'orders/create', '{"id":'))
  assert.equal(broken.status, 400)
})

test('without a user id in the order the visitor is found by the checkout, whose token no stranger knows', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '95', placedAt: now - 3000 })
  const checkout = { token: order.token, currencyCode: 'EUR', totalPrice: { amount: 119, currencyCode: 'EUR' } }
  const page = {
    userId: visitor,
    consent: { analytics: true, marketing: true },
    events: [{ id: 'e1', name: 'checkout_started', data: { checkout } }],
  }
  const headers = { origin: 'null', 'content-type': 'text/plain', 'user-agent': 'Mozilla/5.0 (page)' }
  assert.equal((await edge.post('/shopify/pixel', { headers, body: JSON.stringify(page) })).status, 200)
  const stranger = {
    ...page,
    userId: 'stranger',
    events: [
      {
        id: 'e2',
        name: 'checkout_completed',
        data: { checkout: { ...checkout, token: 'guess', order: { id: '95' } } },
      },
    ],
  }
  await edge.post('/shopify/pixel', { headers, body: JSON.stringify(stranger) })
  await edge.post('/shopify/webhook', orderWebhook(order))
  const bought = edge.events().find(({ context }) => context.trusted)
  assert.deepEqual([bought?.userId, bought?.event.userAgent], [visitor, 'Mozilla/5.0 (page)'])
})

test('the pixel’s purchase after the webhook is a duplicate', async (t) => {
  const edge = await openShopify(t)
  const order = fakeOrder({ id: '96', placedAt: now - 3000 })
  await edge.post('/shopify/webhook', orderWebhook(order))
  const checkout = {
    token: order.token,
    order: { id: 'gid://shopify/OrderIdentity/96' },
    totalPrice: { amount: 119, currencyCode: 'EUR' },
  }
  const body = JSON.stringify({
    userId: visitor,
    events: [{ id: 'e1', name: 'checkout_completed', data: { checkout } }],
  })
  const got = await edge.post('/shopify/pixel', { headers: { origin: 'null' }, body })
  assert.deepEqual(
    got.json.result.map(({ status }: { status: string }) => status),
    ['duplicate'],
  )
})

test('a page without an origin may call the pixel’s address alone', async (t) => {
  const edge = await openShopify(t)
  const headers = { origin: 'null' }
  const body = JSON.stringify({ userId: visitor, events: [{ id: 'e1', name: 'page_viewed' }] })
  const got = await edge.post('/shopify/pixel', { headers, body })
  assert.deepEqual([got.status, got.headers['access-control-allow-origin']], [200, '*'])
  assert.equal(got.headers['set-cookie'], undefined)
  for (const path of ['/tag', '/init', '/shopify/webhook'])
    assert.equal((await edge.post(path, { headers, body })).status, 403, path)
  assert.equal(recordEvents(edge.records()).length, 1)
})
