import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { adapterNames } from '#contract/adapterNames.ts'
import type { Journey } from '#contract/journey.ts'
import { readSdkBuilds, type SdkBuild, sdkFolder } from '#manifest/sdkBuilds.ts'
import { type Aglet, call, freePort, makeCustomer, makeScript, startAglet, stopAglet, until } from '../fake/aglet.ts'
import { aglet, noChromium, openBrowser, openShop, type Shop, type Visitor, visit } from '../fake/browser.ts'
import { openEdge } from '../fake/edge.ts'
import { openVendors, type Vendors } from '../vendors/server.ts'

let browser: Browser
let shop: Shop
let vendors: Vendors
let server: Aglet
const data = mkdtempSync(join(tmpdir(), 'aglet-adapters-'))
if (!noChromium) {
  before(async () => {
    browser = await openBrowser()
    shop = await openShop()
    vendors = await openVendors()
    server = await startAglet({ data, port: await freePort(), environment: { AGLET_VENDORS_URL: vendors.url } })
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
    if (server) await stopAglet(server)
    await vendors?.close()
    rmSync(data, { recursive: true, force: true })
  })
}

/** Receives the pixel's calls, as Meta's script does once it is loaded. */
const pixelScript = `window.received = []
  fbq.callMethod = (...call) => received.push(call)
  while (fbq.queue.length > 0) fbq.callMethod.apply(fbq, fbq.queue.shift())`

type Received = [method: string, name: string, data: object, options?: { eventID: string }]

const answerPixel = ({ context }: Visitor) =>
  context.route('https://connect.facebook.net/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: pixelScript }),
  )

/** The names and ids of the events that the page's pixel received. */
async function receivedBy(page: Page, count: number): Promise<[string, string | undefined][]> {
  const received = async () =>
    ((await page.evaluate('window.received ?? []')) as Received[]).filter(([method]) => method === 'track')
  await until(async () => (await received()).length >= count)
  return (await received()).map(([, name, , options]) => [name, options?.eventID])
}

async function openFake(t: TestContext, path: string) {
  const edge = await openEdge()
  edge.adapters = { names: ['dataLayer', 'gtag', 'fbq'], primary: 'dataLayer' }
  const visitor = await visit(browser, shop, edge.url)
  await answerPixel(visitor)
  t.after(async () => {
    await visitor.close()
    await edge.close()
    assert.deepEqual(visitor.consoleErrors, [])
  })
  const sent = () =>
    edge.to('/tag').flatMap(({ body }) => [body].flat() as { eventName: string; eventId: string; data: object }[])
  return { edge, visitor, sent, page: await visitor.open(path) }
}

describe('a page with a data layer and Meta’s pixel, under a strict policy', { skip: noChromium }, () => {
  const orders = [
    'stub,load,base,container,order',
    'load,stub,container,base,order',
    'stub,base,load,container,order',
    'stub,container,base,load,order',
    'base,container,stub,load,order',
    'stub,load,load,base,container,load,order',
  ]
  for (const parts of orders)
    test(`sends each event once, with the id that the pixel gets: ${parts}`, async (t) => {
      const { sent, page } = await openFake(t, `/parts?parts=${parts}`)
      await aglet(page, 'init', { disableConsentCheck: true })
      const received = await receivedBy(page, 2)
      await until(() => sent().length >= 2)
      const ids = new Map(sent().map(({ eventName, eventId }) => [eventName, eventId]))
      assert.deepEqual(
        sent()
          .map(({ eventName }) => eventName)
          .sort(),
        ['PageView', 'Purchase'],
      )
      assert.deepEqual(new Map(received), ids)
      assert.deepEqual(
        received.map(([name]) => name),
        ['PageView', 'Purchase'],
      )
      assert.equal(await page.evaluate('contained.filter(({ event }) => event === "purchase").length'), 1)
      assert.equal(await page.evaluate('fbq === _fbq && dataLayer.length'), 4)
    })

  test('reads what the data layer holds when the SDK comes last', async (t) => {
    const { sent, page } = await openFake(t, '/parts?parts=container,order,stub,load')
    await aglet(page, 'init', { disableConsentCheck: true })
    await until(() => sent().length === 2)
    const { data } = sent().find(({ eventName }) => eventName === 'Purchase')!
    const contents = [{ id: 'sku-1', title: 'Shirt', item_price: 30, quantity: 1 }]
    assert.deepEqual(data, { orderId: '1001', value: 30, currency: 'EUR', contents })
  })

  test('skips nodes, cycles and large pushes, which go through', async (t) => {
    const { sent, page } = await openFake(t, '/parts?parts=stub,load,container,order')
    await aglet(page, 'init', { disableConsentCheck: true })
    const length = await page.evaluate(`(() => {
      const cycle = { event: 'cycle' }
      cycle.self = cycle
      dataLayer.push(cycle, { event: 'huge', text: 'x'.repeat(1e6) }, { event: 'own', get text() { throw new Error('no') } })
      return dataLayer.push({ event: 'node', element: document.body, page: window.document.title })
    })()`)
    await until(() => sent().some(({ eventName }) => eventName === 'node'))
    assert.equal(length, 8)
    assert.deepEqual(
      sent()
        .map(({ eventName }) => eventName)
        .sort(),
      ['PageView', 'Purchase', 'node'],
    )
    assert.deepEqual(sent().find(({ eventName }) => eventName === 'node')!.data, { page: 'Shop' })
  })
})

describe('a tag with adapters', { skip: noChromium }, () => {
  test('delivers what a page tells its data layer and pixel to Meta and GA4 once, after the consent, with the id of the pixel', async (t) => {
    const customer = await makeCustomer(server, 'shop')
    await makeScript(customer, 'facebook', 'meta', [
      { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '4242' },
      { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
    ])
    await makeScript(customer, 'googleAnalytics4', 'ga', [
      { variable: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID', type: 'IDENTIFIER', value: 'G-ABC123' },
      { variable: 'GOOGLE_ANALYTICS_4_API_SECRET', type: 'PASSWORD', value: 'secret' },
    ])
    const settings = {
      captureBeforeConsent: 'memory',
      adapters: ['dataLayer', 'gtag', 'fbq'],
      primaryAdapter: 'dataLayer',
    }
    const { status, body } = await call(customer, 'PUT', `/tag/${customer.tagId}`, settings)
    assert.equal(status, 200, JSON.stringify(body))

    const visitor = await visit(browser, shop, customer.tagUrl)
    t.after(() => visitor.close())
    await answerPixel(visitor)
    const page = await visitor.open('/parts?parts=stub,load,base,container,order')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const received = new Map(await receivedBy(page, 2))
    // the default of Google's consent mode is not an answer: nothing was sent or dropped
    assert.equal(await aglet(page, 'getConsent'), undefined)
    assert.deepEqual(requests, [])
    await page.evaluate(
      `gtag('consent', 'update', { ad_storage: 'granted', analytics_storage: 'granted', ad_user_data: 'granted' })`,
    )

    const sentTo = (vendor: string) => vendors.received.filter((each) => each.vendor === vendor)
    const settled = async (eventId: string) => {
      const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
      return body.deliveries?.length === 2 && body.deliveries.every(({ status }) => status === 'delivered')
    }
    for (const eventId of received.values()) await until(() => settled(eventId!))
    type MetaBody = { data: { event_name: string; event_id: string }[] }
    const toMeta = sentTo('facebook').flatMap(({ got }) => (got.json as MetaBody).data)
    assert.deepEqual(toMeta.map(({ event_name }) => event_name).sort(), ['PageView', 'Purchase'])
    for (const { event_name, event_id } of toMeta) assert.equal(event_id, received.get(event_name))
    const toGoogle = sentTo('googleAnalytics4').flatMap(
      ({ got }) => (got.json as { events: { name: string }[] }).events,
    )
    assert.deepEqual(toGoogle.map(({ name }) => name).sort(), ['page_view', 'purchase'])
    assert.deepEqual(
      vendors.received.flatMap(({ wrong }) => wrong),
      [],
    )
    assert.deepEqual(visitor.consoleErrors, [])
  })
})

test('adapters are small', (t) => {
  const bytes = (...texts: string[]) => gzipSync(texts.join(''), { level: 9 }).length
  const [{ adapterBase, adapters }] = readSdkBuilds(sdkFolder) as [SdkBuild]
  const sizes = [...adapters].map(([name, text]) => `${name} ${bytes(text)}`)
  t.diagnostic(`gzipped, in bytes: base ${bytes(adapterBase)}, ${sizes.join(', ')}`)
  assert.deepEqual([...adapters.keys()].sort(), [...adapterNames].sort())
  for (const [name, text] of adapters) assert.ok(bytes(text) <= 1_024, name)
  assert.ok(bytes(adapters.get('dataLayer')!, adapters.get('gtag')!) <= 1_600)
  assert.ok(bytes(adapterBase) <= 2_400, 'what all adapters share')
})
