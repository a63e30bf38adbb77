import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { BrowserChannel, InitResponse } from '#contract/edgeResponses.ts'
import { readSdkBuilds, type SdkBuild, sdkFolder, sdkVersions } from '#manifest/sdkBuilds.ts'
import { until } from '../fake/aglet.ts'
import { addressIn, aglet, agletSoon, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
import { openEdge } from '../fake/edge.ts'

let browser: Browser
let shop: Shop
if (!noChromium) {
  before(async () => {
    browser = await openBrowser()
    shop = await openShop()
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
  })
}

const row = (
  provider: string,
  variables: Record<string, string> = {},
  more: Partial<BrowserChannel> = {},
): BrowserChannel => ({
  package: provider,
  category: 'advertising',
  purchaseValueMode: 'gross',
  inPage: true,
  ...more,
  variables,
  rules: { capture: [] },
})

async function open(t: TestContext, rows: BrowserChannel[] = []) {
  const edge = await openEdge(rows)
  const visitor = await visit(browser, shop, edge.url)
  t.after(async () => {
    await visitor.close()
    await edge.close()
    assert.deepEqual(visitor.consoleErrors, [])
  })
  const named = (path: string) => edge.to(path).flatMap(({ body }) => [body].flat() as Record<string, unknown>[])
  return { edge, visitor, named, go: (page: Page, path: string) => page.goto(addressIn(shop, path, edge.url)) }
}
const valueIn = (page: Page, name: string) => page.inputValue(`input[name=${name}]`)
const all = { all: true }

describe('a page under a strict policy', { skip: noChromium }, () => {
  test('needs no preflight: a call is text, and names the user in the address', async (t) => {
    const { edge, visitor } = await open(t)
    const page = await visitor.open('/')
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(new Set(edge.asked.map(({ method }) => method)), new Set(['GET', 'POST']))
    const [{ headers, query }] = edge.to('/tag') as [(typeof edge.asked)[number]]
    assert.deepEqual([headers['content-type'], query.get('userId')], ['text/plain;charset=UTF-8', 'usr_fake'])
  })

  test('that holds the SDK twice tells everything once', async (t) => {
    const { edge, visitor, named } = await open(t)
    const page = await visitor.open('/twice')
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual([edge.to('/init').length, named('/tag').length], [1, 1])
  })

  test('uses the module of the package the same way', async (t) => {
    const { edge, visitor, named } = await open(t, [row('autoFormFill', {}, { category: 'functional' })])
    const page = await visitor.open('/module')
    await until(() => page.evaluate<boolean>('window.aglet !== undefined'))
    await until(() => edge.to('/load').length === 2) // the tag's setting, and the module
    assert.equal((await aglet<{ status: string }>(page, 'tag', 'PageView')).status, 'accepted')
    assert.equal((await aglet<InitResponse>(page, 'ready')).userId, 'usr_fake')
    assert.equal(named('/tag')[0]!.eventName, 'PageView')
  })

  test('that asks for a version gets that one, and the SDK fetches its modules', async (t) => {
    const { edge, visitor } = await open(t, [row('autoFormFill', {}, { category: 'functional' })])
    const [version] = sdkVersions(sdkFolder)
    const page = await visitor.open(`/?load=${encodeURIComponent(`?version=${version}`)}`)
    await until(() => edge.to('/load').length === 3)
    assert.equal(await page.evaluate('aglet.version'), version)
    assert.deepEqual(
      edge.to('/load').map(({ query }) => [query.get('version'), query.get('module')]),
      [
        [version, null],
        [null, null], // requests the tag's setting
        [version, 'autoFormFill'],
      ],
    )
  })

  test('whose storage the browser refuses tells its events all the same', async (t) => {
    const { visitor, named } = await open(t)
    await visitor.context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })`)
    const page = await visitor.open('/')
    await aglet(page, 'consent', all)
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(await aglet(page, 'getConsent'), { consent: all })
    assert.equal(named('/tag').length, 1)
  })

  test('that is hidden while the tag does not answer hands its events to the browser, under the same ids', async (t) => {
    const { edge, visitor, named } = await open(t)
    edge.answer = ({ path }) => (path === '/init' ? 503 : 200)
    const page = await visitor.open('/')
    for (const name of ['AddToCart', 'Purchase']) await agletSoon(page, 'tag', name)
    assert.deepEqual(named('/tag'), [])
    const ids = await page.evaluate<string[]>(
      `Object.entries(localStorage).filter(([name]) => name.includes(':call:')).sort().map(([, call]) => JSON.parse(call).body.eventId)`,
    )
    await page.close({ runBeforeUnload: true })
    await until(() => named('/tag').length === 2)
    assert.deepEqual(
      named('/tag').map(({ eventId }) => eventId),
      ids,
    )
    visitor.consoleErrors.length = 0 // of the 503
  })
})

/**
 * A minimal version of React's change tracking: it ignores values set through the field's setter; `seen` has the others.
 */
const trackedAsByReact = `window.seen = []
  document.addEventListener('DOMContentLoaded', () => {
    const field = document.querySelector('input[name=email]')
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    let tracked = ''
    Object.defineProperty(field, 'value', {
      get: () => get.call(field),
      set(value) { tracked = value; set.call(field, value) },
    })
    field.addEventListener('input', () => {
      const now = get.call(field)
      if (now !== tracked) seen.push(now)
      tracked = now
    })
  })`

describe('autoFormFill', { skip: noChromium }, () => {
  test('learns after consent from what is submitted, and fills it in on the next page', async (t) => {
    const { visitor, named, go } = await open(t, [row('autoFormFill', {}, { category: 'functional' })])
    const page = await visitor.open('/')
    await aglet(page, 'ready')
    await page.fill('input[name=email]', 'before@shop.example')
    await page.click('button')
    await go(page, '/')
    await aglet(page, 'consent', all)
    assert.equal(await valueIn(page, 'email'), '')
    await page.fill('input[name=email]', 'jane@shop.example')
    await page.fill('input[name=cardnumber]', '4242')
    await page.click('button')
    await until(() => named('/user').length > 0)
    await go(page, '/')
    await until(async () => (await valueIn(page, 'email')) !== '')
    assert.deepEqual([await valueIn(page, 'email'), await valueIn(page, 'cardnumber')], ['jane@shop.example', ''])
    assert.deepEqual(
      new Set(named('/user').map(({ key, value }) => `${key}: ${value}`)),
      new Set(['email: jane@shop.example']),
    )
  })

  test('tells a page that tracks its fields as React does, which heeds no value that came through its own setter', async (t) => {
    const { visitor, go } = await open(t, [row('autoFormFill', {}, { category: 'functional' })])
    const page = await visitor.open('/')
    await aglet(page, 'consent', all)
    await page.fill('input[name=email]', 'jane@shop.example')
    await page.click('button')
    await visitor.context.addInitScript(trackedAsByReact)
    await go(page, '/')
    await until(async () => (await page.evaluate<string[]>('seen')).length > 0)
    assert.deepEqual(await page.evaluate('seen'), ['jane@shop.example'])
  })

  test('leaves alone what the visitor has typed or emptied', async (t) => {
    const { visitor, go } = await open(t, [row('autoFormFill', {}, { category: 'functional' })])
    const page = await visitor.open('/')
    await aglet(page, 'consent', all)
    await page.fill('input[name=email]', 'jane@shop.example')
    await page.click('button')
    await go(page, '/')
    await until(async () => (await valueIn(page, 'email')) !== '')
    await page.fill('input[name=email]', '')
    await page.focus('input[name=cardnumber]')
    assert.equal(await valueIn(page, 'email'), '')
  })
})

describe('universalAds', { skip: noChromium }, () => {
  const pixel = `window.told = []
    window.pubSuite = { startWithConfig: (config) => told.push(config), sendConversion: (...call) => told.push(call) }`

  test('loads the pixel after consent for advertising, and hands it the events that it knows', async (t) => {
    const variables = { UNIVERSAL_ADS_PIXEL_ID: 'pixel', UNIVERSAL_ADS_ACCESS_TOKEN: 'public' }
    const { visitor } = await open(t, [row('universalAds', variables)])
    await visitor.context.route('https://connect.universalads.com/uap.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: pixel }),
    )
    const page = await visitor.open('/')
    await aglet(page, 'consent', all, { advertising: false })
    await aglet(page, 'tag', 'PageView')
    assert.equal(await page.evaluate('window.told === undefined'), true)
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR', orderId: '1001' })
    await aglet(page, 'tag', 'Rated')
    await until(() => page.evaluate<boolean>('window.told?.length === 2'))
    const [{ general }, conversion] = await page.evaluate<[{ general: object }, unknown]>('told')
    assert.deepEqual(conversion, ['purchase', { price: 30, currency: 'EUR', order_id: '1001', user_id: 'usr_fake' }])
    assert.deepEqual({ ...general, product_id: 'pixel', access_token: 'public' }, general)
  })
})

describe('the pixels of Meta and TikTok', { skip: noChromium }, () => {
  const scripts = [
    'https://connect.facebook.net/en_US/fbevents.js',
    'https://analytics.tiktok.com/i18n/pixel/events.js*',
  ]
  const channels = (flag: string) => [
    row('facebook', { FACEBOOK_PIXEL_ID: '42', FACEBOOK_BROWSER_PIXEL: flag }),
    row('tiktok', { TIKTOK_PIXEL_CODE: 'C1', TIKTOK_BROWSER_PIXEL: flag }),
  ]
  async function openWithPixels(t: TestContext, flag: string) {
    const opened = await open(t, channels(flag))
    const loaded: string[] = []
    for (const script of scripts)
      await opened.visitor.context.route(script, (route) => {
        loaded.push(new URL(route.request().url()).host)
        return route.fulfill({ contentType: 'text/javascript', body: '' })
      })
    return { ...opened, loaded }
  }

  test('are loaded where the channel asks for it, and told of an event by the id that the tag knows', async (t) => {
    const { visitor, named, loaded } = await openWithPixels(t, '1')
    const page = await visitor.open('/')
    await aglet(page, 'consent', all, { all: true, share_pii: false })
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(loaded, [], 'who refuses to be known is told to no pixel')
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR', orderId: '1001' })
    await until(() => loaded.length === 2)
    const { eventId } = named('/tag').find(({ eventName }) => eventName === 'Purchase')!
    const bought = { value: 30, currency: 'EUR', order_id: '1001' }
    assert.deepEqual(await page.evaluate('fbq.queue.at(-1)'), [
      'trackSingle',
      '42',
      'Purchase',
      bought,
      { eventID: eventId },
    ])
    assert.deepEqual(await page.evaluate('ttq._i.C1'), [['track', 'CompletePayment', bought, { event_id: eventId }]])
  })

  test('stay away where it does not', async (t) => {
    const { visitor, loaded } = await openWithPixels(t, '0')
    const page = await visitor.open('/')
    await aglet(page, 'consent', all)
    await aglet(page, 'tag', 'PageView')
    assert.equal(await page.evaluate('window.fbq === undefined && window.ttq === undefined'), true)
    assert.deepEqual(loaded, [])
  })
})

test('what is loaded is small', (t) => {
  const bytes = (text: string) => gzipSync(text, { level: 9 }).length
  const [{ core, gatedCore, modules }] = readSdkBuilds(sdkFolder) as [SdkBuild]
  const sizes = [['core', core] as const, ['gated core', gatedCore] as const, ...modules].map(
    ([name, text]) => `${name} ${bytes(text)}`,
  )
  t.diagnostic(`gzipped, in bytes: ${sizes.join(', ')}`)
  assert.ok(bytes(core) <= 4_000)
  assert.ok(bytes(gatedCore) <= 4_600)
  for (const [name, text] of modules) assert.ok(bytes(text) <= 1_200, name)
})
