import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import type { OrderReport } from '#contract/order.ts'
import type { ShopName } from '#contract/shopNames.ts'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import { type Customer, call, makeCustomer, makeScript, sinkAt, until } from '../fake/aglet.ts'
import {
  bigOrderJson,
  bigWebhook,
  fakeOrder,
  shopifyOrderJson,
  shopifyRefundJson,
  shopifyWebhook,
  type Webhook,
  wooOrderJson,
  wooWebhook,
} from '../fake/shop.ts'
import { openVendor } from '../fake/vendor.ts'
import { allTexts, asHeader, basicTexts } from './corpus.ts'
import type { EntryPoint } from './measure.ts'
import { headerEntryPoint, openWatchedServer, type ResponseText, send } from './watchedServer.ts'

/**
 * Shop webhooks with forged, late, repeated, reordered, huge, deep or invalid bodies. Two shops of two teams have the same
 * order numbers, so that an answer about the other shop's orders or buyers would be detected.
 */
const now = Date.now()
const order = fakeOrder({ id: '250', number: '1001', placedAt: now - 3_000 })
const sink = await openVendor()
const bigApi = await openVendor(({ path }) =>
  path.endsWith('/orders/250') ? { body: bigOrderJson(order) } : { status: path.includes('/orders/') ? 204 : 404 },
)
after(() => Promise.all([sink.close(), bigApi.close()]))
const watched = await openWatchedServer('hostile-shops', {
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_VENDORS_URL: bigApi.url,
})
const { aglet } = watched

const key = 'shpss_0123456789abcdef0123456789'
const otherKey = 'shpss_fedcba9876543210fedcba9876'
const names = { shopify: 'potter.myshopify.com', woocommerce: 'shop.example', bigcommerce: 'abc123' } as const
const sources = Object.keys(names) as ShopName[]

async function openShops(name: string, webhookKey: string): Promise<Customer> {
  const customer = await makeCustomer(aglet, name)
  const shops = await Promise.all(
    sources.map(async (source) => {
      const seal = (variable: string, value: string) =>
        sealSecret({ ...customer, team: customer.teamId, provider: source, variable, type: 'PASSWORD', value })
      const secrets = [await seal('WEBHOOK_KEY', webhookKey)]
      if (source === 'bigcommerce') secrets.push(await seal('API_TOKEN', 'token-of-16-chars'))
      return { source, shop: names[source], secrets }
    }),
  )
  const saved = await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled', sources, shops })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  await makeScript(customer, 'eventSink', 'sink', sinkAt(`${sink.url}/${customer.tagId}`))
  return customer
}

const mine = await openShops('hostile shop', key)
const other = await openShops('neighbour', otherKey)
const secretBuyer = 'buyer-of-the-neighbour@example.com'

type Signed = { headers: Record<string, string>; body: Buffer }

/** A webhook of each shop with any body, signed like the shop's. */
const signed: Record<ShopName, (body: string | Buffer, by?: string) => Signed> = {
  shopify: (body, by = key) => sign('shopify', body, by),
  woocommerce: (body, by = key) => sign('woocommerce', body, by),
  bigcommerce: (body, by = key) => sign('bigcommerce', body, by),
}
function sign(source: ShopName, text: string | Buffer, by: string) {
  const body = Buffer.from(text as string)
  const digest = createHmac('sha256', by).update(body).digest('base64')
  const shop = { shop: names[source], key: by }
  if (source === 'shopify')
    return { body, headers: { ...shopifyWebhook(shop, 'orders/create', '').headers, 'x-shopify-hmac-sha256': digest } }
  if (source === 'woocommerce')
    return { body, headers: { ...wooWebhook(shop, 'order.created', '').headers, 'x-wc-webhook-signature': digest } }
  const at = `${Math.floor(Date.now() / 1000)}`
  const whole = createHmac('sha256', by).update(`msg_1.${at}.`).update(body).digest('base64')
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': `v1,${whole}` }
  return { body, headers: { 'content-type': 'application/json', ...headers } }
}

const goodBody: Record<ShopName, (by?: string) => string> = {
  shopify: () => shopifyOrderJson(order),
  woocommerce: () => wooOrderJson(order),
  bigcommerce: () =>
    bigWebhook(
      { shop: names.bigcommerce, key },
      { scope: 'store/order/created', data: { type: 'order', id: 250 }, at: now },
    ).body,
}
const post = (source: ShopName, { headers, body }: Signed, to = mine) =>
  send(`${to.tagUrl}/${source}/webhook`, { method: 'POST', headers, body })

type Seen = { orders: number; purchases: number }
async function seen({ tagId, ...customer }: Customer): Promise<Seen> {
  const { body } = await call<OrderReport>({ ...customer, tagId }, 'GET', `/tag/${tagId}/reconciliation`)
  const bought = new Set(
    sink.got
      .filter(({ path }) => path === `/${tagId}`)
      .map(({ json }) => (json as { payload: { eventName: string; eventId: string } }).payload)
      .filter(({ eventName }) => eventName === 'Purchase')
      .map(({ eventId }) => eventId),
  )
  return { orders: body.orders.all, purchases: bought.size }
}

/** Asserts that an answer is no server error and reveals no key and no data of the other shop. */
function assertHarmless(answer: ResponseText, what: string): void {
  assert.ok(answer.status < 500 || answer.status === 503, `${what}: ${answer.status} ${answer.text.slice(0, 300)}`)
  for (const told of [secretBuyer, key, otherKey, order.email, 'token-of-16-chars', other.tagId, 'node:', '.ts:'])
    assert.ok(!answer.text.includes(told), `${what} tells ${told}: ${answer.text.slice(0, 300)}`)
}

test('the neighbour has an order with the same number, of another buyer', async () => {
  const theirs = shopifyOrderJson({ ...order, email: secretBuyer })
  const answer = await post('shopify', signed.shopify(theirs, otherKey), other)
  assert.equal(answer.status, 200)
  await until(async () => (await seen(other)).purchases === 1)
})

test('a webhook that is forged in any way is refused, and stores nothing', async () => {
  for (const source of sources) {
    const body = goodBody[source]()
    const good = signed[source](body)
    const changed = Buffer.from(body)
    changed[changed.length - 3]! ^= 1
    const [name] = Object.keys(good.headers).filter((each) => /signature|hmac/.test(each))
    const signature = good.headers[name!]!
    const withSignature = (text: string) => ({ ...good, headers: { ...good.headers, [name!]: text } })
    const asGzip = (bytes: Buffer) => ({ body: bytes, headers: { ...good.headers, 'content-encoding': 'gzip' } })
    const forged = [
      { ...good, body: changed },
      { ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) },
      { ...good, body: Buffer.concat([Buffer.from('\ufeff'), good.body]) },
      { ...good, body: Buffer.from(body, 'utf16le') },
      ...[good.body, deflateRawSync(good.body), gzipSync(Buffer.alloc(50_000_000))].map(asGzip),
      { ...good, body: gzipSync(good.body) },
      signed[source](body, otherKey),
      signed[source](body, ''),
      ...[
        '',
        'v1,',
        signature.toLowerCase(),
        signature.slice(0, -4),
        [...signature].reverse().join(''),
        'A'.repeat(44),
      ].map(withSignature),
      ...basicTexts.map(({ of }) => withSignature(asHeader(of(200)))),
    ]
    for (const [n, each] of forged.entries()) {
      const answer = await post(source, each)
      assertHarmless(answer, `${source} ${n}`)
      assert.ok([0, 400, 401, 413, 415].includes(answer.status), `${source} ${n}: ${answer.status} ${answer.text}`)
    }
  }
  assert.deepEqual(await seen(mine), { orders: 0, purchases: 0 })
})

test('a webhook of the neighbour, and one of another shop, are refused', async () => {
  for (const source of sources) {
    const theirs = signed[source](goodBody[source](), otherKey)
    assert.equal((await post(source, theirs)).status, 401, source)
  }
  const renamed = signed.shopify(goodBody.shopify())
  renamed.headers['x-shopify-shop-domain'] = 'other.myshopify.com'
  assert.equal((await post('shopify', renamed)).status, 401)
  const woo = signed.woocommerce(goodBody.woocommerce())
  for (const from of ['https://other.example/', 'shop.example', 'javascript:shop.example', 'https://shop.example@x.y/'])
    assert.equal(
      (await post('woocommerce', { ...woo, headers: { ...woo.headers, 'x-wc-webhook-source': from } })).status,
      401,
    )
  assert.deepEqual(await seen(mine), { orders: 0, purchases: 0 })
})

test('a late webhook of BigCommerce is a replay, and is refused', async () => {
  const late = [-3_600, -301, 301, 3_600]
  for (const seconds of late) {
    const data = { type: 'order', id: 250 }
    const at = Date.now() + seconds * 1_000
    const webhook = bigWebhook({ shop: names.bigcommerce, key }, { scope: 'store/order/created', data, at })
    const answer = await post('bigcommerce', { ...webhook, body: Buffer.from(webhook.body) })
    assert.equal(answer.status, 401, `${seconds}`)
  }
  assert.deepEqual(await seen(mine), { orders: 0, purchases: 0 })
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const nonsense = (): (string | Buffer)[] => [
  ...[
    '',
    ' ',
    'null',
    'true',
    '1',
    '"x"',
    '[]',
    '{}',
    '[[]]',
    '{',
    '{"id":',
    '{"id":1,}',
    "{'id':1}",
    '<xml/>',
    'id=1&name=2',
  ],
  ...[
    '{"id":null}',
    '{"id":{}}',
    '{"id":[1]}',
    '{"id":-1}',
    '{"id":1e400}',
    '{"id":"../../etc"}',
    '{"__proto__":{"id":1}}',
  ],
  ...['{"id":9,"note_attributes":{"length":1e9}}', '{"id":9,"line_items":"x"}', '{"id":9,"created_at":"9999-99-99"}'],
  ...[deep(99), deep(2_000), '['.repeat(100_000), `[${'0,'.repeat(200_000)}0]`, `{"id":${'9'.repeat(100_000)}}`],
  ...[
    Buffer.from([0xff, 0xfe, 0x7b, 0]),
    Buffer.from([0xc0, 0x80]),
    Buffer.alloc(1_000),
    Buffer.from('{"id":"\ud800"}'),
  ],
  ...[Buffer.from(goodBody.shopify(), 'utf16le'), Buffer.from(`\ufeff${goodBody.woocommerce()}`), gzipSync('{}')],
  ...allTexts.map(({ of }) => JSON.stringify({ id: 7, name: of(2_000), email: of(2_000), currency: of(20) })),
]

test('a body that is signed and no order is answered without an error of the server, and nothing becomes a purchase', async () => {
  for (const source of sources)
    for (const [n, body] of nonsense().entries()) {
      const answer = await post(source, signed[source](body))
      assertHarmless(answer, `${source} ${n}`)
      assert.ok(
        [200, 400, 413].includes(answer.status),
        `${source} ${n}: ${answer.status} ${answer.text.slice(0, 200)}`,
      )
    }
  assert.equal((await seen(mine)).purchases, 0)
})

test('a body of more than 1 MiB is refused, whether it says its length or not', async () => {
  for (const source of sources) {
    const body = Buffer.from(JSON.stringify({ id: 8, name: 'x'.repeat(2 * 1024 * 1024) }))
    const answer = await post(source, signed[source](body))
    assert.ok([0, 413].includes(answer.status), `${source}: ${answer.status}`)
    assertHarmless(answer, source)
  }
})

test('webhooks that are repeated and reordered count an order once', async () => {
  const before = await seen(mine)
  const updated = { ...order, updatedAt: order.updatedAt + 2_000 }
  const refunded = { ...updated, refunds: [{ id: '901', amount: '20.00', at: now }] }
  const shop = { shop: names.shopify, key }
  const bytes = ({ headers, body }: Webhook): Signed => ({ headers, body: Buffer.from(body) })
  const deliveries: [ShopName, Signed][] = [
    ['shopify', bytes(shopifyWebhook(shop, 'refunds/create', shopifyRefundJson(order, refunded.refunds[0]!)))],
    ['shopify', bytes(shopifyWebhook(shop, 'orders/updated', shopifyOrderJson(refunded)))],
    ['shopify', bytes(shopifyWebhook(shop, 'orders/paid', shopifyOrderJson(updated)))],
    ['shopify', signed.shopify(goodBody.shopify())],
    ['woocommerce', signed.woocommerce(wooOrderJson({ ...order, id: '251', number: '251' }))],
    ['bigcommerce', signed.bigcommerce(goodBody.bigcommerce())],
  ]
  for (let round = 0; round < 3; round++) {
    for (const [source, webhook] of deliveries) assertHarmless(await post(source, webhook), source)
    deliveries.reverse()
  }
  await until(async () => (await seen(mine)).purchases > before.purchases)
  await Promise.all(
    Array.from({ length: 4 }, () => Promise.all(deliveries.map(([source, webhook]) => post(source, webhook)))),
  )
  const after = await seen(mine)
  // the orders of Shopify and BigCommerce have the same id, WooCommerce's has another
  await until(async () => (await seen(mine)).purchases === before.purchases + 2)
  assert.ok(after.orders - before.orders <= 3, JSON.stringify(after))
  const repeats = Map.groupBy(
    sink.got.filter(({ path }) => path === `/${mine.tagId}`),
    ({ json }) => {
      const { eventName, eventId } = (json as { payload: { eventName: string; eventId: string } }).payload
      return `${eventName} ${eventId}`
    },
  )
  for (const [event, sent] of repeats) assert.equal(sent.length, 1, event)
})

const headersOfShops: Record<ShopName, readonly string[]> = {
  shopify: ['topic', 'hmac-sha256', 'shop-domain', 'event-id', 'webhook-id', 'triggered-at'].map(
    (name) => `x-shopify-${name}`,
  ),
  woocommerce: ['topic', 'signature', 'source', 'delivery-id', 'id', 'resource'].map((name) => `x-wc-webhook-${name}`),
  bigcommerce: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-aglet-key'],
}
watched.testEntryPoints('webhooks of shops', () =>
  sources.flatMap((source): EntryPoint[] => [
    ...headersOfShops[source].map((header) =>
      headerEntryPoint(`${source} header ${header}`, basicTexts, async (text) => {
        const { headers, body } = signed[source](goodBody[source]())
        assertHarmless(await post(source, { headers: { ...headers, [header]: text }, body }), header)
      }),
    ),
    {
      name: `${source} body`,
      texts: allTexts,
      submit: async (text) => assertHarmless(await post(source, signed[source](text)), source),
    },
    {
      name: `${source} text in a body`,
      texts: basicTexts,
      maxBytes: 500_000,
      submit: async (text) => {
        const body = JSON.stringify({ id: 6, name: text, email: text, created_at: text, currency: text, note: [text] })
        assertHarmless(await post(source, signed[source](body)), source)
      },
    },
  ]),
)
