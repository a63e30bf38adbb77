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

async function open(t: TestContext, variables: Record<string, string>) {
  const row: BrowserChannel = {
    package: 'outbrain',
    category: 'advertising',
    purchaseValueMode: 'gross',
    inPage: true,
    variables,
    rules: { capture: [] },
  }
  const edge = await openEdge([row])
  const visitor = await visit(browser, shop, edge.url)
  const loaded: string[] = []
  await visitor.context.route('https://amplify.outbrain.com/**', (route) => {
    loaded.push(route.request().url())
    return route.fulfill({ contentType: 'text/javascript', body: '' })
  })
  t.after(async () => {
    await visitor.close()
    await edge.close()
    assert.deepEqual(visitor.consoleErrors, [])
  })
  return { page: await visitor.open('/'), loaded }
}
const all = { all: true }
const calls = 'window.obApi?.queue'

describe('the pixel of Outbrain', { skip: noChromium }, () => {
  test('is told of page views and of no conversion, once the visitor agrees to be known', async (t) => {
    const { page, loaded } = await open(t, { OUTBRAIN_MARKETER_ID: '00abc' })
    await aglet(page, 'consent', all, { all: true, share_pii: false })
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual([loaded, await page.evaluate(calls)], [[], undefined])
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR', orderId: '1001' })
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(await page.evaluate(calls), [['track', 'PAGE_VIEW']])
    await until(() => loaded.length > 0)
    assert.deepEqual(
      [loaded, await page.evaluate('obApi.marketerId')],
      [['https://amplify.outbrain.com/cp/obtp.js'], '00abc'],
    )
  })

  test('stays away where no marketer id is set', async (t) => {
    const { page, loaded } = await open(t, {})
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual([loaded, await page.evaluate(calls)], [[], undefined])
  })
})
