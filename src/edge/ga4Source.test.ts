import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { deviceUserId } from '#user/customer.ts'
import { now, tagId, teamId } from './edge.fixture.ts'
import { key, openSource } from './source.fixture.ts'

const openGa = (t: TestContext, tag?: object) => openSource(t, 'ga4', undefined, tag)
const tag = { tagId, teamId }

/** A request of a page with gtag, captured from a browser. */
const shared = new URLSearchParams({
  v: '2',
  tid: 'G-ABC123',
  gtm: '45je5bk0v9101',
  _p: '1763640000000',
  gcs: 'G110',
  gcd: '13t3q3q3q5l1',
  cid: '123456789.1763600000',
  ul: 'de',
  sr: '1920x1080',
  _s: '2',
  sid: '1763639000',
  sct: '3',
  dl: 'https://shop.example/thanks?gclid=Click-1',
  dr: 'https://shop.example/checkout',
  dt: 'Thanks',
})
const purchase = new URLSearchParams({
  en: 'purchase',
  cu: 'EUR',
  'ep.transaction_id': 'A-1001',
  'epn.value': '59.98',
  'epn.tax': '9.58',
  'ep.coupon': 'AUTUMN',
  'ep.affiliation': 'web',
  'up.plan': 'gold',
  pr1: 'idsku-1~nmRunner~brAcme~caShoes~pr29.99~qt2~vablue~lnHome',
  pr2: 'idsku-2~nmCap~pr0~qt1',
})
const pageOf = { origin: 'https://example.com', 'content-type': 'text/plain;charset=UTF-8' }

test('what gtag sends is stored as our event: order, items, page, client, session and consent state', async (t) => {
  const edge = await openGa(t)
  const got = await edge.send(`/g/collect?${shared}&${purchase}`, '', pageOf)
  assert.deepEqual([got.status, got.text], [204, ''])
  const [stored] = edge.events()
  const { eventId, ...event } = stored!.event
  assert.match(eventId, /^ga4-[0-9a-f]{32}$/)
  assert.deepEqual(event, {
    eventName: 'Purchase',
    timestamp: now,
    data: {
      orderId: 'A-1001',
      value: 59.98,
      tax: 9.58,
      discounts: [{ code: 'AUTUMN' }],
      affiliation: 'web',
      contents: [
        {
          id: 'sku-1',
          title: 'Runner',
          brand: 'Acme',
          category: 'Shoes',
          item_price: 29.99,
          quantity: 2,
          variantId: 'blue',
          item_list_name: 'Home',
        },
        { id: 'sku-2', title: 'Cap', item_price: 0, quantity: 1 },
      ],
      currency: 'EUR',
    },
    storage: {
      kv: { plan: 'gold' },
      data: {
        googleAnalytics4: { _ga: 'GA1.1.123456789.1763600000', _ga_ABC123: 'GS1.1.1763639000.1.1.1763639000.0.0.0' },
      },
      service: {
        consentCategories: { advertising: false, analytics: false, share_pii: false, ad_personalization: false },
      },
    },
    source: { name: 'ga4', type: 'collect' },
    pageUrl: 'https://shop.example/thanks?gclid=Click-1',
    pageTitle: 'Thanks',
    referrer: 'https://shop.example/checkout',
  })
  assert.equal(stored!.userId, deviceUserId(tag, 'ga4 123456789.1763600000', edge.keys))
  assert.equal(stored!.context.trusted, false)
})

test('a body of several lines is several events, and a hit that comes twice is stored once', async (t) => {
  const edge = await openGa(t)
  const lines = ['en=page_view&_et=5', 'en=scroll&epn.percent_scrolled=90'].join('\r\n')
  assert.equal((await edge.send(`/g/collect?${shared}`, lines, pageOf)).status, 204)
  assert.equal((await edge.send(`/g/collect?${shared}`, lines, pageOf)).status, 204)
  assert.deepEqual(
    edge
      .events()
      .slice(0, 2)
      .map(({ event }) => [event.eventName, event.data]),
    [
      ['PageView', {}],
      ['scroll', { percent_scrolled: 90 }],
    ],
  )
  const ids = edge.appended.flatMap(({ keys }) => keys)
  assert.deepEqual([ids.length, new Set(ids).size], [4, 2])
})

/** The items of the event that gtag sends with these texts as `pr1`, `pr2` …. */
async function itemsOf(t: TestContext, ...items: string[]) {
  const edge = await openGa(t)
  const query = new URLSearchParams(items.map((item, at): [string, string] => [`pr${at + 1}`, item]))
  assert.equal((await edge.send(`/g/collect?${shared}&en=view_item&${query}`, '', pageOf)).status, 204)
  return edge.events()[0]!.event.data!.contents
}

test('an item keeps its own parameters, its promotion and a tilde in a value', async (t) => {
  assert.deepEqual(
    await itemsOf(t, 'idsku~~1~nmA~~B~k0size~v0M~k1url~v1https://a.example/~~x~pip1~pnSale~qt1', 'idx'),
    [
      {
        id: 'sku~1',
        title: 'A~B',
        size: 'M',
        url: 'https://a.example/~x',
        promotion_id: 'p1',
        promotion_name: 'Sale',
        quantity: 1,
      },
      { id: 'x' },
    ],
  )
})

test('user-provided data in clear identifies the user, and what has no field is told and goes nowhere', async (t) => {
  const edge = await openGa(t)
  const data = {
    'ep.user_data.email_address': 'ada@example.com',
    'ep.user_data.phone_number': '+4930123456',
    'ep.user_data.address.first_name': 'Ada',
    'ep.user_data.address.postal_code': '10115',
    'ep.user_data.address.street': 'Main St 1',
    'ep.user_data.sha256_email_address': 'a'.repeat(64),
    'ep.user_data._tag_mode': 'MANUAL',
  }
  await edge.send(`/g/collect?${shared}&${new URLSearchParams({ en: 'login', ...data })}`, '', pageOf)
  const { userEmail, userPhone, userFirstName, userZip, data: kept, source } = edge.events()[0]!.event
  assert.deepEqual(
    [userEmail, userPhone, userFirstName, userZip, kept],
    ['ada@example.com', '+4930123456', 'Ada', '10115', {}],
  )
  assert.deepEqual((source as { notes: string[] }).notes, [
    'its user data "street" is not mapped',
    'its user data "sha256_email_address" is not mapped',
  ])
})

test('an empty line is an event where the query names it, because gtag moves what all events share there', async (t) => {
  const edge = await openGa(t)
  assert.equal((await edge.send(`/g/collect?${shared}&en=ping`, '\r\n_et=7', pageOf)).status, 204)
  assert.deepEqual(
    edge.events().map(({ event }) => event.eventName),
    ['ping', 'ping'],
  )
  assert.equal((await edge.send(`/g/collect?${shared}`, 'en=a\r\n\r\nen=b\r\n', pageOf)).status, 204)
  assert.deepEqual(
    edge.events().map(({ event }) => event.eventName),
    ['ping', 'ping', 'a', 'b'],
  )
})

test('a single event whose address would be too long has its parameters in the body', async (t) => {
  const edge = await openGa(t)
  const body = new URLSearchParams({ 'ep.transaction_id': 'A-1', 'epn.value': '5', pr1: 'idsku-1~qt1' })
  assert.equal((await edge.send(`/g/collect?${shared}&en=purchase&cu=EUR`, `${body}`, pageOf)).status, 204)
  const { eventName, data } = edge.events()[0]!.event
  assert.deepEqual(
    [eventName, data],
    ['Purchase', { orderId: 'A-1', value: 5, currency: 'EUR', contents: [{ id: 'sku-1', quantity: 1 }] }],
  )
})

test('a pixel without a body is taken by GET, and HEAD sends nothing', async (t) => {
  const edge = await openGa(t)
  assert.equal((await edge.send(`/g/collect?${shared}&en=page_view`, undefined, {}, 'GET')).status, 204)
  assert.equal((await edge.send(`/g/collect?${shared}&en=other`, undefined, {}, 'HEAD')).status, 204)
  assert.equal(edge.events().length, 1)
})

test('each consent state of gtag is read; none leaves the stored consent to decide', async (t) => {
  const edge = await openGa(t)
  const states: [gcs: string, gcd: string, object | undefined][] = [
    ['G111', '', { advertising: true, analytics: true }],
    ['G100', '13q3q3q3q5l1', { advertising: false, analytics: false, share_pii: false, ad_personalization: false }],
    ['', '13r3n3v2r5l1', { advertising: true, analytics: true, share_pii: true, ad_personalization: true }],
    ['', '13r3n3v2u5l1', { advertising: true, analytics: true, share_pii: true, ad_personalization: false }],
    ['', '13r3r3q2r5l1', { advertising: false, analytics: true, share_pii: false, ad_personalization: true }],
    ['', '13m3u3l3l5l1', { advertising: false, analytics: false }],
    ['G1--', '13l3l3l3l1l1', undefined],
    ['G1', 'x', undefined],
  ]
  for (const [n, [gcs, gcd]] of states.entries())
    await edge.send(`/g/collect?v=2&cid=1.2&_p=1&_s=${n}&en=page_view&gcs=${gcs}&gcd=${gcd}`, '', pageOf)
  const found = edge.events().map(({ event }) => {
    const { consentCategories } = (event.storage?.service ?? {}) as { consentCategories?: object }
    return consentCategories
  })
  assert.deepEqual(
    found,
    states.map(([, , expected]) => expected),
  )
})

test('what gtag has by default is no answer: one that denies is unanswered, one that grants is granted by default', async (t) => {
  const edge = await openGa(t)
  const states: [gcd: string, state: string | undefined][] = [
    ['13p3p3p3p5l1', 'unanswered'],
    ['13p3t3p3p5l1', 'unanswered'],
    ['13t3t3t3t5l1', 'default'],
    ['13t3r3t3t5l1', undefined],
    ['13p3p3p3q5l1', undefined],
  ]
  for (const [n, [gcd]] of states.entries())
    await edge.send(`/g/collect?v=2&cid=1.2&_p=1&_s=${n}&en=page_view&gcd=${gcd}`, '', pageOf)
  const found = edge.events().map(({ event }) => (event.storage!.service as { consentState?: string }).consentState)
  assert.deepEqual(
    found,
    states.map(([, state]) => state),
  )
})

const protocol = {
  client_id: '123456789.1763600000',
  user_id: '42',
  timestamp_micros: `${(now - 1000) * 1000}`,
  user_properties: { plan: { value: 'gold' } },
  ip_override: '203.0.113.7',
  consent: { ad_user_data: 'DENIED', ad_personalization: 'DENIED' },
  events: [
    {
      name: 'purchase',
      params: {
        transaction_id: 'A-1001',
        value: 59.98,
        currency: 'EUR',
        items: [{ item_id: 'sku-1', item_name: 'Runner', price: 29.99, quantity: 2, discount: 1 }],
        session_id: '1763639000',
        page_location: 'https://shop.example/thanks',
      },
    },
  ],
}
const mp = (secret: string) => `/mp/collect?measurement_id=G-ABC123&api_secret=${secret}`

test('the Measurement Protocol is taken with the key of the source as its api_secret, for the client of the page', async (t) => {
  const edge = await openGa(t)
  assert.equal((await edge.send(mp(key), protocol, {})).status, 204)
  assert.equal((await edge.send(mp(key), protocol, {})).status, 204)
  const [stored] = edge.events()
  const { eventId: _, ...event } = stored!.event
  assert.deepEqual(event, {
    eventName: 'Purchase',
    timestamp: now - 1000,
    data: {
      orderId: 'A-1001',
      value: 59.98,
      currency: 'EUR',
      contents: [{ id: 'sku-1', title: 'Runner', item_price: 29.99, quantity: 2, discount: 1 }],
    },
    storage: {
      kv: { plan: 'gold' },
      data: {
        googleAnalytics4: { _ga: 'GA1.1.123456789.1763600000', _ga_ABC123: 'GS1.1.1763639000.1.1.1763639000.0.0.0' },
      },
      service: { consentCategories: { advertising: false, share_pii: false, ad_personalization: false } },
    },
    userCustomerId: '42',
    source: { name: 'ga4', type: 'mp', userId: '42' },
    pageUrl: 'https://shop.example/thanks',
    ip: '203.0.113.7',
  })
  assert.equal(stored!.context.trusted, true)
  assert.equal(stored!.userId, deviceUserId(tag, 'ga4 123456789.1763600000', edge.keys))
  assert.equal(new Set(edge.appended.flatMap(({ keys }) => keys)).size, 1)
})

test('a wrong secret, a body that cannot be read, too many events and a clock that is ahead', async (t) => {
  const edge = await openGa(t)
  const status = async (path: string, body: unknown, headers = {}) => (await edge.send(path, body, headers)).status
  assert.equal(await status(mp('wrong'), protocol), 401)
  assert.equal(await status(mp(key), '{'), 400)
  assert.equal(await status(mp(key), { events: 7 }), 400)
  assert.equal(await status(mp(key), { ...protocol, events: Array(501).fill({ name: 'x' }) }), 400)
  assert.equal(await status(`/g/collect?${shared}`, 'en=x\n'.repeat(501), pageOf), 400)
  assert.equal(await status(`/g/collect?${shared}`, '', pageOf), 400)
  assert.equal(await status(`/g/collect?${shared}`, 'x'.repeat(1_100_000), pageOf), 413)
  assert.deepEqual(edge.events(), [])
  const closed = await openGa(t, { serverToken: 'required' })
  assert.equal((await closed.send(`/g/collect?${shared}&en=x`, '', {})).status, 403)
  assert.equal((await closed.send(`/g/collect?${shared}&en=x`, '', pageOf)).status, 204)
  assert.equal(await status(mp(key), { ...protocol, timestamp_micros: (now + 3_600_000) * 1000 }), 204)
  const { event } = edge.events().at(-1)!
  assert.equal(event.timestamp, now)
  assert.match(JSON.stringify(event.source), /more than 10 minutes in the future/)
})
