import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { BrowserChannel } from '#contract/edgeResponses.ts'
import { until } from '../fake/aglet.ts'
import { aglet, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
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

/** For each channel: its variables, including the one that enables the pixel, and the URL of the pixel’s script. */
const channels = {
  pinterest: [{}, { PINTEREST_TAG_ID: 'tag-1' }, 'https://s.pinimg.com/ct/core.js'],
  snapchat: [{ SNAPCHAT_PIXEL_ID: 'px-1' }, { SNAPCHAT_BROWSER_PIXEL: '1' }, 'https://sc-static.net/scevent.min.js'],
  reddit: [{ REDDIT_PIXEL_ID: 'a2_1' }, { REDDIT_BROWSER_PIXEL: '1' }, 'https://www.redditstatic.com/ads/pixel.js'],
  linkedIn: [
    { LINKEDIN_BROWSER_EVENTS: '[["Purchase", "104013"]]' },
    { LINKEDIN_PARTNER_ID: '42' },
    'https://snap.licdn.com/li.lms-analytics/insight.min.js',
  ],
  bing: [
    { BING_TAG_ID: '97012345', BING_MAPPED_EVENTS: '[["Purchase", "purchase"]]' },
    { BING_BROWSER_PIXEL: '1' },
    'https://bat.bing.com/bat.js',
  ],
} as const

async function open(t: TestContext, { isAsked }: { isAsked: boolean }) {
  const rows = Object.entries(channels).map(
    ([provider, [variables, asked]]): BrowserChannel => ({
      package: provider,
      category: 'advertising',
      purchaseValueMode: 'gross',
      inPage: true,
      variables: { ...variables, ...(isAsked && asked) },
      rules: { capture: [] },
    }),
  )
  const edge = await openEdge(rows)
  const visitor = await visit(browser, shop, edge.url)
  t.after(async () => {
    await visitor.close()
    await edge.close()
    assert.deepEqual(visitor.consoleErrors, [])
  })
  const loaded = new Set<string>()
  for (const [, , script] of Object.values(channels))
    await visitor.context.route(script, (route) => {
      loaded.add(route.request().url())
      return route.fulfill({ contentType: 'text/javascript', body: '' })
    })
  return { page: await visitor.open('/'), edge, loaded }
}

const all = { all: true }

describe('the pixels of advertising channels', { skip: noChromium }, () => {
  test('are loaded where the channel asks for them, and told of an event by the id that the tag knows', async (t) => {
    const { page, edge, loaded } = await open(t, { isAsked: true })
    await aglet(page, 'consent', all, { all: true, share_pii: false })
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual([...loaded], [], 'a visitor who denied sharing is told to no pixel')
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR', orderId: '1001' })
    await until(() => loaded.size === 5)
    const sent = edge.to('/tag').flatMap(({ body }) => [body].flat() as Record<string, unknown>[])
    const { eventId } = sent.find(({ eventName }) => eventName === 'Purchase')!
    const of = (expression: string) => page.evaluate(expression)
    const value = { value: 30, currency: 'EUR' }
    assert.deepEqual(await of('pintrk.queue'), [
      ['load', 'tag-1'],
      ['track', 'checkout', { event_id: eventId, ...value, order_id: '1001' }],
    ])
    assert.deepEqual(await of('snaptr.queue'), [
      ['init', 'px-1'],
      ['track', 'PURCHASE', { client_dedup_id: eventId, price: 30, currency: 'EUR', transaction_id: '1001' }],
    ])
    assert.deepEqual(await of('rdt.callQueue'), [
      ['init', 'a2_1', { optOut: false, useDecimalCurrencyValues: true }],
      ['track', 'Purchase', { conversionId: eventId, ...value }],
    ])
    const conversion = { conversion_id: 104_013, conversion_value: 30, currency: 'EUR', event_id: eventId }
    assert.deepEqual(await of('lintrk.q'), [['track', conversion]])
    assert.deepEqual(await of('_linkedin_data_partner_ids'), ['42'])
    const fields = { event_id: eventId, revenue_value: 30, currency: 'EUR', transaction_id: '1001' }
    assert.deepEqual(await of('uetq'), [
      ...['consent', 'default', { ad_storage: 'granted' }],
      ...['event', 'purchase', fields],
    ])
  })

  test('stay away where the channel does not ask for them', async (t) => {
    const { page, loaded } = await open(t, { isAsked: false })
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR' })
    const names = ['pintrk', 'snaptr', 'rdt', 'lintrk', 'uetq']
    assert.deepEqual(await page.evaluate(`${JSON.stringify(names)}.filter((name) => name in window)`), [])
    assert.deepEqual([...loaded], [])
  })
})
