import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import type { ShopName, ShopSecretName } from '#contract/shopNames.ts'
import type { Tag } from '#contract/tag.ts'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  settledJourney,
  sinkAt,
  until,
} from '../fake/aglet.ts'
import {
  bigOrderJson,
  bigWebhook,
  fakeOrder,
  shopifyOrderJson,
  shopifyWebhook,
  type Webhook,
  wooOrderJson,
  wooWebhook,
} from '../fake/shop.ts'
import { openVendor } from '../fake/vendor.ts'

const store = await openVendor(({ path, headers }) => {
  assert.deepEqual([headers['x-aglet-host'], headers['x-auth-token']], ['api.bigcommerce.com', 'token-of-16-chars'])
  if (path === '/stores/abc123/v2/orders/250')
    return { body: bigOrderJson(fakeOrder({ id: '250', placedAt: Date.now() })) }
  return { status: 204 }
})
const sink = await openVendor()
after(() => Promise.all([store.close(), sink.close()]))
const aglet = await openAglet('shops', { AGLET_VENDORS_URL: store.url, AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const key = 'shpss_0123456789abcdef0123456789'

const seal = (customer: Customer, provider: ShopName, variable: ShopSecretName, value: string) =>
  sealSecret({ ...customer, team: customer.teamId, provider, variable, type: 'PASSWORD', value })

/** A tag with this shop and a channel. */
async function openShop(
  source: ShopName,
  shop: string,
  secrets: Partial<Record<ShopSecretName, string>> = { WEBHOOK_KEY: key },
  options: object = {},
) {
  const customer = await makeCustomer(aglet, `${source} ${JSON.stringify(options)}`)
  const entries = Object.entries(secrets).map(([name, value]) => seal(customer, source, name as ShopSecretName, value))
  const shops = [{ source, shop, ...options, secrets: await Promise.all(entries) }]
  const saved = await call<Tag>(customer, 'PUT', `/tag/${customer.tagId}`, {
    consent: 'disabled',
    sources: [source],
    shops,
  })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`${sink.url}/${customer.tagId}`))
  return { customer, scriptId, tag: saved.body }
}

const deliver = ({ tagUrl }: Customer, path: string, { headers, body }: Webhook) =>
  fetch(`${tagUrl}${path}`, { method: 'POST', headers, body })
const shopify = { shop: 'potter.myshopify.com', key }

test('a shop is shown with the names of its secrets, and neither answers, deployments nor the audit have a value', async () => {
  const { customer, tag } = await openShop('shopify', 'https://Potter.myshopify.com/')
  assert.deepEqual(tag.shops, [
    {
      source: 'shopify',
      shop: 'potter.myshopify.com',
      purchaseOn: 'create',
      orderId: 'name',
      productIdFrom: 'product',
      salesChannels: ['web'],
      joinMs: 60_000,
      sendRefunds: true,
      sendTests: false,
      secrets: ['WEBHOOK_KEY'],
    },
  ])
  const read = async (path: string) => JSON.stringify((await call(customer, 'GET', path)).body)
  const texts = await Promise.all([`/tag/${customer.tagId}`, `/tag/${customer.tagId}/deployment`, '/audit'].map(read))
  for (const text of texts) assert.ok(!text.includes(key) && !/"WEBHOOK_KEY":/.test(text), text.slice(0, 200))
})

test('an absent secret stays, an empty one is unset, and a bad shop is refused', async () => {
  const { customer } = await openShop('shopify', 'potter.myshopify.com', { WEBHOOK_KEY: key }, { joinMs: 1 })
  const put = async (shops: unknown) => call<Tag>(customer, 'PUT', `/tag/${customer.tagId}`, { shops })
  const base = { source: 'shopify', shop: 'potter.myshopify.com' }
  assert.deepEqual((await put([base])).body.shops?.[0]?.secrets, ['WEBHOOK_KEY'])
  const unset = await put([{ ...base, secrets: [await seal(customer, 'shopify', 'WEBHOOK_KEY', '')] }])
  assert.deepEqual(unset.body.shops?.[0]?.secrets, [])
  const short = await seal(customer, 'shopify', 'WEBHOOK_KEY', 'short')
  const foreign = await seal(customer, 'woocommerce', 'WEBHOOK_KEY', key)
  const bad = [
    [base, base],
    [{ ...base, shop: 'a b' }],
    [{ ...base, secrets: [short] }],
    [{ ...base, secrets: [foreign] }],
    [{ ...base, joinMs: -1 }],
  ]
  for (const shops of bad) assert.equal((await put(shops)).status, 400, JSON.stringify(shops).slice(0, 200))
  assert.equal((await put([])).body.shops, undefined)
})

test('an order of Shopify is delivered once, with the visitor of the page; the page’s purchase waits for it', async () => {
  const { customer } = await openShop('shopify', shopify.shop, { WEBHOOK_KEY: key }, { joinMs: 2_000 })
  const order = fakeOrder({ id: '820982911946154508', number: '1001', placedAt: Date.now() - 3000 })
  const visitor = 'usr_visitor1'
  const checkout = { token: order.token, order: { id: order.id }, totalPrice: { amount: 99, currencyCode: 'USD' } }
  const page = {
    userId: visitor,
    events: [
      { id: '1', name: 'checkout_started', data: { checkout } },
      { id: '2', name: 'checkout_completed', data: { checkout } },
    ],
  }
  const sent = await deliver(customer, '/shopify/pixel', { headers: { origin: 'null' }, body: JSON.stringify(page) })
  assert.equal(sent.status, 200, await sent.text())
  const eventId = `purchase-${order.id}`
  await until(async () => {
    const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
    return body.deliveries?.[0]?.status === 'held'
  })
  const webhook = shopifyWebhook(shopify, 'orders/create', shopifyOrderJson(order))
  assert.equal((await deliver(customer, '/shopify/webhook', webhook)).status, 200)
  const told = await settledJourney(customer, eventId)
  assert.deepEqual([told.userId, told.deliveries.map(({ status }) => status)], [visitor, ['delivered']])
  const purchases = () =>
    sink.got.filter(
      ({ path, json }) =>
        path === `/${customer.tagId}` && (json as { payload?: { eventId?: string } }).payload?.eventId === eventId,
    )
  // the page's event is decided when its waiting time is over
  await until(async () => {
    const list = await call<{ deliveries: { status: string; eventName: string }[] }>(
      customer,
      'GET',
      `/tag/${customer.tagId}/delivery?eventName=Purchase`,
    )
    return list.body.deliveries?.filter(({ status }) => status === 'skipped').length === 1
  })
  assert.deepEqual(
    purchases().map(({ json }) => (json as { payload: { data: { value: number } } }).payload.data.value),
    [119],
  )
})

test('orders of WooCommerce and of BigCommerce are delivered', async () => {
  const woo = await openShop('woocommerce', 'shop.example')
  const order = wooOrderJson(fakeOrder({ id: '727', placedAt: Date.now() - 3000 }))
  const got = await deliver(
    woo.customer,
    '/woocommerce/webhook',
    wooWebhook({ shop: 'shop.example', key }, 'order.created', order),
  )
  assert.equal(got.status, 200, await got.text())
  assert.equal((await settledJourney(woo.customer, 'purchase-727')).deliveries[0]?.status, 'delivered')
  const big = await openShop('bigcommerce', 'abc123', { WEBHOOK_KEY: key, API_TOKEN: 'token-of-16-chars' })
  const webhook = bigWebhook(
    { shop: 'abc123', key },
    { scope: 'store/order/created', data: { type: 'order', id: 250 }, at: Date.now() },
  )
  const answer = await deliver(big.customer, '/bigcommerce/webhook', webhook)
  assert.equal(answer.status, 200, await answer.text())
  assert.equal((await settledJourney(big.customer, 'purchase-250')).deliveries[0]?.status, 'delivered')
})

test('two shops with the same order numbers are two tags, and neither stops the other', async () => {
  const first = await openShop('shopify', shopify.shop, { WEBHOOK_KEY: key }, { orderId: 'id' })
  const second = await openShop(
    'shopify',
    'other.myshopify.com',
    { WEBHOOK_KEY: key },
    { orderId: 'id', sendRefunds: false },
  )
  const body = shopifyOrderJson(fakeOrder({ id: '5001', number: '1', placedAt: Date.now() - 3000 }))
  for (const [{ customer }, shop] of [
    [first, shopify.shop],
    [second, 'other.myshopify.com'],
  ] as const) {
    assert.equal(
      (await deliver(customer, '/shopify/webhook', shopifyWebhook({ shop, key }, 'orders/create', body))).status,
      200,
    )
    assert.equal((await settledJourney(customer, 'purchase-5001')).deliveries[0]?.status, 'delivered')
  }
  const mixed = await deliver(
    first.customer,
    '/shopify/webhook',
    shopifyWebhook({ shop: 'other.myshopify.com', key }, 'orders/create', body),
  )
  assert.equal(mixed.status, 401)
})
