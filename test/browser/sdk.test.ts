import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { InitResponse } from '#contract/edgeResponses.ts'
import type { EventResult } from '#contract/event.ts'
import type { Journey } from '#contract/journey.ts'
import {
  type Aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  startAglet,
  stopAglet,
  until,
} from '../fake/aglet.ts'
import { addressIn, aglet, agletSoon, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
import { openVendor, type Vendor } from '../fake/vendor.ts'

let vendor: Vendor
let server: Aglet
let browser: Browser
let shop: Shop
const data = mkdtempSync(join(tmpdir(), 'aglet-browser-'))

if (!noChromium) {
  before(async () => {
    vendor = await openVendor()
    const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
    server = await startAglet({ data, port: await freePort(), environment })
    shop = await openShop()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
    if (server) await stopAglet(server)
    await vendor?.close()
    rmSync(data, { recursive: true, force: true })
  })
}

type Payload = { eventName: string; eventId: string; timestamp: number; data: { orderId?: string } }
type Sunk = { payload: Payload; user: { userId: string }; action: string }
type Sent = {
  data: [{ event_name: string; user_data: { fbc?: string; fbp?: string; external_id?: string[]; em?: string[] } }]
}

let customers = 0

/** A customer with a tag, an eventSink and Meta channel, and the requests that each received. */
async function open(settings: object = {}) {
  const customer = await makeCustomer(server, `shop ${++customers}`)
  const path = `/sink/${customers}`
  const pixel = `pixel${customers}`
  await makeScript(customer, 'eventSink', 'sink', [
    { variable: 'EVENT_SINK_URL', type: 'TEXT', value: `${vendor.url}${path}` },
  ])
  await makeScript(customer, 'facebook', 'meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: pixel },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
  ])
  const { status, body } = await call(customer, 'PUT', `/tag/${customer.tagId}`, {
    captureBeforeConsent: 'all',
    ...settings,
  })
  assert.equal(status, 200, JSON.stringify(body))
  const sunk = () =>
    vendor.got
      .filter((got) => got.path === path)
      .map(({ json }) => json as Sunk)
      .filter(({ action }) => action === 'tag')
  const sentToMeta = () =>
    vendor.got.filter((got) => got.path.includes(pixel)).flatMap(({ json }) => (json as Sent).data)
  return {
    customer,
    sunk,
    sentToMeta,
    names: () => sunk().map(({ payload }) => payload.eventName),
    /** Waits until this many events have arrived, and no delivery is pending. */
    async got(count: number) {
      await until(() => sunk().length >= count && sentToMeta().length >= count)
      for (const { payload } of sunk()) await journeyOf(customer, payload.eventId)
    },
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const isOver = ({ status }: Journey['deliveries'][number]) => status !== 'pending' && status !== 'held'

/** The journey of an event after all its work is done. */
async function journeyOf(customer: Customer, eventId: string): Promise<Journey> {
  let journey: Journey | undefined
  await until(async () => {
    const answer = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${encodeURIComponent(eventId)}`)
    journey = answer.body
    return answer.status === 200 && journey.deliveries.length > 0 && journey.deliveries.every(isOver)
  })
  return journey!
}

const outcomes = async ({ customer }: Opened, eventId: string) =>
  (await journeyOf(customer, eventId)).deliveries.map(({ status, reason }) =>
    [status, reason].filter(Boolean).join(': '),
  )

/** Asserts that both vendors received each of these events exactly once, in any order. */
function assertOnce({ sunk, sentToMeta }: Opened, ...names: string[]): void {
  assert.deepEqual(
    sunk()
      .map(({ payload }) => payload.eventName)
      .sort(),
    [...names].sort(),
  )
  assert.deepEqual(
    sentToMeta()
      .map(({ event_name }) => event_name)
      .sort(),
    [...names].sort(),
  )
  assert.equal(new Set(sunk().map(({ payload }) => payload.eventId)).size, names.length)
}

/** Asserts that all received events are of this user, with the click id of the landing page. */
function assertOf({ sunk, sentToMeta }: Opened, userId: string, click: string): void {
  for (const { user } of sunk()) assert.equal(user.userId, userId)
  for (const { user_data } of sentToMeta()) {
    assert.match(user_data.fbc!, new RegExp(`^fb\\.1\\.\\d+\\.${click}$`))
    assert.deepEqual([user_data.external_id].flat(), [hashed(userId)])
  }
}

const all = { all: true }
const hashed = (text: string) => createHash('sha256').update(text).digest('hex')
const tell = (page: Parameters<typeof aglet>[0], ...event: unknown[]) => aglet<EventResult>(page, 'tag', ...event)

describe('the SDK in a real browser', { skip: noChromium, concurrency: false }, () => {
  test('a new tag: nothing is stored, no cookie is set and no event comes before a consent; then all that the page holds', async () => {
    const setup = await open({ captureBeforeConsent: 'memory' })
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-0')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    assert.equal(await aglet(page, 'getConsent'), undefined)
    agletSoon(page, 'tag', 'PageView')
    assert.equal(await aglet(page, 'init'), undefined)
    assert.deepEqual(requests, [])
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length]'), [0, 0])
    assert.deepEqual(await page.context().cookies(), [])
    await aglet(page, 'consent', all)
    await setup.got(1)
    assertOnce(setup, 'PageView')
  })

  test('a first visit: every event once, of the user that the page is told, with the click id and cookie of the page', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-1')
    await page.evaluate(`document.cookie = '_fbp=fb.1.1700000000000.42'`)
    const { isNewUser, userId } = await aglet<InitResponse>(page, 'ready')
    assert.equal(isNewUser, true)
    await aglet(page, 'consent', all)
    for (const name of ['PageView', 'AddToCart']) assert.equal((await tell(page, name)).status, 'accepted')

    await page.goto(addressIn(shop, '/product', setup.customer.tagUrl))
    assert.deepEqual([await aglet(page, 'getUserId'), await aglet(page, 'isNewUser')], [userId, false])
    await tell(page, 'ViewContent')
    await setup.got(3)
    assertOnce(setup, 'PageView', 'AddToCart', 'ViewContent')
    assertOf(setup, userId, 'click-1')
    for (const { user_data } of setup.sentToMeta()) assert.equal(user_data.fbp, 'fb.1.1700000000000.42')
    assert.deepEqual(visitor.consoleErrors, [])
    await visitor.close()
  })

  test('consent refused: nothing goes, and what is told after it is given does', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-6')
    const unasked = await tell(page, 'PageView')
    await aglet(page, 'consent', { all: false })
    const refused = await tell(page, 'ViewContent')
    await aglet(page, 'consent', all)
    const given = await tell(page, 'AddToCart')
    await setup.got(1)
    for (const { eventId } of [unasked, refused])
      assert.deepEqual(await outcomes(setup, eventId), ['skipped: consent', 'skipped: consent'])
    assert.deepEqual(await outcomes(setup, given.eventId), ['delivered', 'delivered'])
    assertOnce(setup, 'AddToCart')
    assertOf(setup, await aglet(page, 'getUserId'), 'click-6')
    await visitor.close()
  })

  test('on a tag that holds, events that nobody was asked for arrive in order when consent is given', async () => {
    const setup = await open({ hold: 10 })
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-2')
    const early = ['PageView', 'ViewContent', 'AddToCart']
    for (const name of early) await tell(page, name)
    assert.deepEqual(setup.names(), [])
    await aglet(page, 'consent', all)
    await tell(page, 'InitiateCheckout')
    await setup.got(4)
    assert.deepEqual(
      setup.names().filter((name) => early.includes(name)),
      early,
    )
    assertOnce(setup, ...early, 'InitiateCheckout')
    assertOf(setup, await aglet(page, 'getUserId'), 'click-2')
    await visitor.close()
  })

  test('on a tag that holds, a refusal ends what waits', async () => {
    const setup = await open({ hold: 10 })
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/')
    const { eventId } = await tell(page, 'PageView')
    await aglet(page, 'consent', { all: false })
    assert.deepEqual(await outcomes(setup, eventId), ['skipped: consent', 'skipped: consent'])
    await visitor.close()
  })

  test('a reload and a second tab are of the same user, and repeat nothing', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-3')
    await aglet(page, 'consent', all)
    await tell(page, 'PageView')
    await page.goto(addressIn(shop, '/', setup.customer.tagUrl))
    await page.reload()
    await tell(page, 'ViewContent')
    const tab = await visitor.open('/cart')
    await Promise.all([tell(page, 'AddToCart'), tell(tab, 'InitiateCheckout')])
    assert.equal(await aglet(tab, 'getUserId'), await aglet(page, 'getUserId'))
    await setup.got(4)
    assertOnce(setup, 'PageView', 'ViewContent', 'AddToCart', 'InitiateCheckout')
    assertOf(setup, await aglet(page, 'getUserId'), 'click-3')
    await visitor.close()
  })

  test('offline and back: what was told meanwhile arrives once, in order, with its own time', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-4')
    await aglet(page, 'consent', all)
    await visitor.context.setOffline(true)
    const told = ['ViewContent', 'AddToCart', 'InitiateCheckout']
    for (const name of told) await agletSoon(page, 'tag', name)
    const wentBackAt = Date.now()
    await visitor.context.setOffline(false)
    await setup.got(3)
    assertOnce(setup, ...told)
    assertOf(setup, await aglet(page, 'getUserId'), 'click-4')
    const sunk = setup.sunk().sort((one, other) => one.payload.timestamp - other.payload.timestamp)
    assert.deepEqual(
      sunk.map(({ payload }) => payload.eventName),
      told,
    )
    assert.ok(sunk.every(({ payload }) => payload.timestamp <= wentBackAt))
    await visitor.close()
  })

  test('a page that is closed while it is offline leaves its events to the next', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-5')
    const userId = await aglet<string>(page, 'getUserId')
    await aglet(page, 'consent', all)
    await visitor.context.setOffline(true)
    await agletSoon(page, 'tag', 'AddToCart')
    await page.close()
    assert.deepEqual(setup.names(), [])
    await visitor.context.setOffline(false)
    await visitor.open('/')
    await setup.got(1)
    assertOnce(setup, 'AddToCart')
    assertOf(setup, userId, 'click-5')
    await visitor.close()
  })

  test('a page that is closed in the middle of a checkout: the purchase arrives once', async () => {
    const setup = await open()
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/?fbclid=click-7')
    const userId = await aglet<string>(page, 'getUserId')
    await aglet(page, 'consent', all)
    await agletSoon(page, 'tag', 'Purchase', { value: 30, currency: 'EUR', orderId: 'closed' })
    await page.close()
    await setup.got(1)
    assertOnce(setup, 'Purchase')

    await visitor.open('/') // resends unanswered calls
    await visitor.open('/checkout?order=left')
    await setup.got(2)
    const next = await visitor.open('/')
    await tell(next, 'PageView')
    await setup.got(3)
    assertOnce(setup, 'Purchase', 'Purchase', 'PageView')
    assert.deepEqual(
      setup
        .sunk()
        .map(({ payload }) => payload.data.orderId)
        .sort(),
      ['closed', 'left', undefined],
    )
    assertOf(setup, userId, 'click-7')
    await visitor.close()
  })

  test('a visitor who leaves before the tag has answered is the same on the next page', async () => {
    const setup = await open({ consent: 'disabled' })
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/checkout?order=first')
    await page.waitForURL('**/thanks')
    await setup.got(1)
    await page.goto(addressIn(shop, '/', setup.customer.tagUrl))
    const { userId } = await tell(page, 'PageView')
    await setup.got(2)
    assertOnce(setup, 'Purchase', 'PageView')
    assert.deepEqual(new Set(setup.sunk().map(({ user }) => user.userId)), new Set([userId]))
    await visitor.close()
  })

  test('a tag on a proved host of the shop knows the visitor by the cookie of the first event, whatever becomes of the storage', async () => {
    await open({ consent: 'disabled', domain: 'shop.localhost', hosts: ['d.shop.localhost'] })
    const site = { ...shop, origin: shop.origin.replace('localhost', 'shop.localhost') }
    const visitor = await visit(browser, site, `http://d.shop.localhost:${server.port}`)
    const page = await visitor.open('/')
    const userId = await aglet(page, 'getUserId')
    await tell(page, 'PageView')
    await until(() => page.evaluate<boolean>("document.cookie.includes('tag_user_id')"))
    await page.evaluate('localStorage.clear()')
    await page.reload()
    assert.deepEqual([await aglet(page, 'getUserId'), await aglet(page, 'isNewUser')], [userId, false])
    await visitor.close()
  })

  test('what a page says of the visitor, it and the channels know; of the e-mail only that it is known', async () => {
    const setup = await open({ consent: 'disabled' })
    const visitor = await visit(browser, shop, setup.customer.tagUrl)
    const page = await visitor.open('/')
    await aglet(page, 'user', 'email', 'jane@shop.example')
    await aglet(page, 'data', { size: 'M' })
    assert.deepEqual(await aglet(page, 'getData', ['email', 'size']), { email: true, size: 'M' })
    assert.deepEqual((await aglet<string[]>(page, 'keys')).sort(), ['email', 'size'])
    await tell(page, 'PageView')
    await setup.got(1)
    const [{ user_data }] = setup.sentToMeta() as [Sent['data'][0]]
    assert.deepEqual(user_data.em, [hashed('jane@shop.example')])
    await visitor.close()
  })
})
