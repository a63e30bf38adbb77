import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoredShop } from '#store/snapshot.ts'
import { until } from '../../test/fake/clock.ts'
import { bigOrderJson, bigWebhook, fakeOrder, wooOrderJson, wooWebhook } from '../../test/fake/shop.ts'
import { now } from './edge.fixture.ts'
import type { EdgeDeps } from './edgeDeps.ts'
import { openShopEdge, shopKey } from './shop.fixture.ts'

const visitor = '6b1f4a0e-0c3b-4a55-9d2e-3f6a5b7c8d90'
const woo = { shop: 'potter.example', key: shopKey }
const big = { shop: 'abc123', key: shopKey }

const openWoo = (t: TestContext, options: Partial<StoredShop> = {}) =>
  openShopEdge(t, { source: 'woocommerce', shop: woo.shop, ...options })
const wooPath = '/woocommerce/webhook'
const resultsOf = (got: { json: { result: { eventId: string; status: string }[] } }) =>
  got.json.result.map(({ eventId, status }) => `${eventId} ${status}`)

test('an order of WooCommerce becomes a purchase with the buyer, the device and what the plug-in stored', async (t) => {
  const edge = await openWoo(t)
  const attributes = {
    _aglet_user: visitor,
    _aglet_consent: '{"analytics":true,"marketing":false}',
    _aglet_page: 'https://potter.example/?gclid=abc',
    _fbp: 'fb.1.2.3',
  }
  const order = fakeOrder({
    id: '727',
    number: 'A-727',
    placedAt: now - 4000,
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    attributes,
  })
  const got = await edge.post(wooPath, wooWebhook(woo, 'order.created', wooOrderJson(order)))
  assert.deepEqual([got.status, resultsOf(got)], [200, ['purchase-727 accepted']], got.text)
  const [{ event, userId } = assert.fail('no event')] = edge.events()
  assert.equal(userId, visitor)
  assert.deepEqual(event.data, {
    orderId: 'A-727',
    value: 119,
    currency: 'EUR',
    tax: 19,
    shipping: 5,
    discount: 0,
    contents: [{ id: '93', sku: 'MUG-1', title: 'Mug', quantity: 2, item_price: 57 }],
  })
  assert.deepEqual([event.ip, event.userAgent, event.pageUrl], ['203.0.113.7', 'Mozilla/5.0', attributes._aglet_page])
  assert.deepEqual([event.userEmail, event.userCustomerId, event.userZip], [order.email, order.customerId, '10115'])
  assert.deepEqual((event.storage as Record<string, unknown>).service, {
    consentCategories: { analytics: true, advertising: false },
  })
  const [{ order: row } = assert.fail('no order')] = edge.orders
  assert.deepEqual(
    [row.orderId, row.aliases, row.status],
    ['A-727', ['727', 'purchase-727', `wc_order_${order.token.slice(0, 13)}`], 'paid'],
  )
})

test('saving a webhook in WooCommerce sends a ping without signature, which stores nothing; any other unsigned call is 401', async (t) => {
  const edge = await openWoo(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const order = wooOrderJson(fakeOrder({ id: '1', placedAt: now }))
  const signed = wooWebhook(woo, 'order.created', order)
  assert.equal((await edge.post(wooPath, { headers: form, body: 'webhook_id=12' })).status, 200)
  const { 'x-wc-webhook-signature': _, ...unsigned } = signed.headers
  const forged = [
    { headers: form, body: 'webhook_id=12&x=1' },
    { headers: unsigned, body: order },
    { ...signed, body: `${order}\n` },
    wooWebhook({ ...woo, key: 'another key of 32 characters ...' }, 'order.created', order),
    wooWebhook({ ...woo, shop: 'other.example' }, 'order.created', order),
  ]
  for (const webhook of forged) assert.equal((await edge.post(wooPath, webhook)).status, 401)
  assert.deepEqual([edge.events(), edge.orders], [[], []])
})

test('WooCommerce makes an order before it is paid: with purchaseOn paid the update is the purchase, once', async (t) => {
  const edge = await openWoo(t, { purchaseOn: 'paid' })
  const order = fakeOrder({ id: '800', placedAt: now - 9000, isPaid: false })
  const send = async (status: string, more: object = {}) =>
    resultsOf(await edge.post(wooPath, wooWebhook(woo, 'order.updated', wooOrderJson({ ...order, ...more }, status))))
  assert.deepEqual(await send('checkout-draft'), [])
  assert.equal(edge.orders.length, 0)
  assert.deepEqual(await send('on-hold'), [])
  assert.deepEqual(await send('processing', { isPaid: true }), ['purchase-800 accepted'])
  assert.deepEqual(await send('completed', { isPaid: true, updatedAt: now - 10 }), ['purchase-800 duplicate'])
  assert.deepEqual(await send('cancelled', { isCancelled: true }), [])
  assert.equal(edge.orders.at(-1)?.order.status, 'cancelled')
})

test('refunds of WooCommerce are one event each, however often the order is sent', async (t) => {
  const edge = await openWoo(t)
  const order = fakeOrder({ id: '801', placedAt: now - 9000 })
  const refunds = [
    { id: '11', amount: '20.00', at: now },
    { id: '12', amount: '400.00', at: now },
  ]
  const send = async (sent: typeof refunds) =>
    resultsOf(await edge.post(wooPath, wooWebhook(woo, 'order.updated', wooOrderJson({ ...order, refunds: sent }))))
  assert.deepEqual(await send(refunds.slice(0, 1)), ['purchase-801 accepted', 'refund-11 accepted'])
  assert.deepEqual(await send(refunds), ['purchase-801 duplicate', 'refund-11 duplicate', 'refund-12 accepted'])
  assert.equal(edge.orders.at(-1)?.order.refunded, 420)
})

test('orders that an administrator makes are listed and not sent', async (t) => {
  const edge = await openWoo(t)
  const order = fakeOrder({ id: '802', placedAt: now, channel: 'admin' })
  await edge.post(wooPath, wooWebhook(woo, 'order.created', wooOrderJson(order)))
  assert.deepEqual([edge.events(), edge.orders[0]?.order.salesChannel], [[], 'draft'])
})

/** The API of a BigCommerce store, with a record of the requested addresses. */
function bigStore(answers: Record<string, string>) {
  const asked: { url: string; token: string | undefined }[] = []
  const send: NonNullable<EdgeDeps['send']> = async ({ url, headers }, host) => {
    asked.push({ url, token: headers['x-auth-token'] })
    assert.equal(host, 'fixed')
    const body = answers[new URL(url).pathname.replace('/stores/abc123', '')]
    return { status: body === undefined ? 404 : 200, headers: {}, body: body ?? '{}', durationMs: 1 }
  }
  return { asked, send }
}

const openBig = (t: TestContext, send: EdgeDeps['send']) =>
  openShopEdge(
    t,
    { source: 'bigcommerce', shop: big.shop },
    { WEBHOOK_KEY: shopKey, API_TOKEN: 'token of sixteen' },
    { ...(send && { send }) },
  )
const bigPath = '/bigcommerce/webhook'
const created = { scope: 'store/order/created', data: { type: 'order', id: 250 }, at: now }

test('a webhook of BigCommerce names an order, which is read from the store and becomes a purchase', async (t) => {
  const order = fakeOrder({ id: '250', placedAt: now - 4000, ip: '203.0.113.7' })
  const products = [
    { id: 1, product_id: 107, variant_id: 88, sku: 'MUG-1', name: 'Mug', quantity: 2, price_inc_tax: '57.0000' },
  ]
  const store = bigStore({
    '/v2/orders/250': bigOrderJson(order),
    '/v2/orders/250/products': JSON.stringify(products),
    '/v2/orders/250/coupons': '[]',
  })
  const edge = await openBig(t, store.send)
  const got = await edge.post(bigPath, bigWebhook(big, created))
  assert.deepEqual([got.status, resultsOf(got)], [200, ['purchase-250 accepted']], got.text)
  assert.deepEqual(new Set(store.asked.map(({ token }) => token)), new Set(['token of sixteen']))
  const [{ event } = assert.fail('no event')] = edge.events()
  assert.deepEqual(
    [event.data?.value, event.data?.contents, event.ip, event.userEmail],
    [
      119,
      [{ id: '107', variantId: '88', sku: 'MUG-1', title: 'Mug', quantity: 2, item_price: 57 }],
      '203.0.113.7',
      order.email,
    ],
  )
  assert.deepEqual([edge.orders[0]?.order.placedAt, edge.orders[0]?.order.status], [now - 4000, 'paid'])
})

test('a webhook of BigCommerce that is forged, old or of another store stores nothing', async (t) => {
  const store = bigStore({})
  const edge = await openBig(t, store.send)
  const good = bigWebhook(big, created)
  const { 'webhook-signature': _, ...unsigned } = good.headers
  const forged = [
    { ...good, headers: unsigned },
    { ...good, body: `${good.body} ` },
    bigWebhook({ ...big, key: 'another key of 32 characters ...' }, created),
    bigWebhook(big, { ...created, at: now - 6 * 60_000 }),
    { body: good.body, headers: { 'x-aglet-key': 'another key' } },
  ]
  for (const webhook of forged) assert.equal((await edge.post(bigPath, webhook)).status, 401)
  assert.equal(
    (await edge.post(bigPath, bigWebhook({ ...big, shop: 'other' }, created))).json.ignored,
    'a webhook of another store',
  )
  assert.deepEqual([store.asked, edge.orders], [[], []])
})

test('an order that the store does not have yet is asked for again; after ten minutes it is ignored', async (t) => {
  const edge = await openBig(t, bigStore({}).send)
  const headers = { 'x-aglet-key': shopKey }
  const young = await edge.post(bigPath, bigWebhook(big, created))
  assert.deepEqual([young.status, young.headers['retry-after']], [503, '60'])
  const { body } = bigWebhook(big, { ...created, at: now - 11 * 60_000 })
  assert.deepEqual((await edge.post(bigPath, { headers, body })).status, 200)
})

test('a team reads its shop for eight webhooks at once, and the others are sent again', async (t) => {
  let [waiting, answer] = [0, () => {}]
  const released = new Promise<void>((resolve) => (answer = resolve))
  const edge = await openBig(t, async () => {
    waiting++
    await released
    return { status: 404, headers: {}, body: '', durationMs: 1 }
  })
  const post = (id: number) => edge.post(bigPath, bigWebhook(big, { ...created, data: { type: 'order', id } }))
  const first = Array.from({ length: 8 }, (_, n) => post(n + 1))
  await until('eight are read', () => waiting === 8)
  assert.equal((await post(9)).status, 503)
  answer()
  await Promise.all(first)
  assert.equal(waiting, 8)
  await post(10)
  assert.equal(waiting, 9)
})

test('a store that does not answer makes BigCommerce send the webhook again', async (t) => {
  const edge = await openBig(t, async () => ({ failed: 'timeout', message: 'no answer', durationMs: 1 }))
  assert.equal((await edge.post(bigPath, bigWebhook(big, created))).status, 503)
})

test('an incomplete order of BigCommerce is no order; each refund is one event', async (t) => {
  const order = fakeOrder({ id: '250', placedAt: now - 4000 })
  const refunds = {
    data: [
      { id: 3, total_amount: '20.00', created: new Date(now - 100).toISOString() },
      { id: 4, total_amount: 5 },
    ],
  }
  const open = bigStore({ '/v2/orders/250': bigOrderJson(order, 0) })
  const incomplete = await openBig(t, open.send)
  const none = await incomplete.post(bigPath, bigWebhook(big, created))
  assert.deepEqual([none.json.ignored, incomplete.orders], ['an order that is not placed yet', []])
  const edge = await openBig(
    t,
    bigStore({
      '/v2/orders/250': bigOrderJson(order),
      '/v3/orders/250/payment_actions/refunds': JSON.stringify(refunds),
    }).send,
  )
  const refund = {
    scope: 'store/order/refund/created',
    data: { type: 'order', id: 250, refund: { refund_id: 4 } },
    at: now,
  }
  assert.deepEqual(resultsOf(await edge.post(bigPath, bigWebhook(big, refund))), [
    'purchase-250 accepted',
    'refund-3 accepted',
    'refund-4 accepted',
  ])
  assert.deepEqual(resultsOf(await edge.post(bigPath, bigWebhook(big, refund))), [
    'purchase-250 duplicate',
    'refund-3 duplicate',
    'refund-4 duplicate',
  ])
})
