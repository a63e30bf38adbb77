import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { openAglet } from '../fake/aglet.ts'
import { noChromium, openBrowser } from '../fake/browser.ts'
import { openVendors } from '../vendors/server.ts'
import { sdksFolder, skipMissing } from './client.ts'
import { assertArrived, assertRefused, customerId, email, journeyNamed, openShop, order } from './shop.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('analytics-js', { AGLET_VENDORS_URL: vendors.url })

const files = join(sdksFolder, 'node_modules/@segment/analytics-next/dist/umd')

/** A page that loads analytics.js, and its files. */
const page = createServer(({ url = '' }, response) => {
  const file = join(files, basename(url.split('?', 1)[0]!))
  if (url.startsWith('/umd/') && existsSync(file))
    response.setHeader('content-type', 'text/javascript').end(readFileSync(file))
  else
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>Home</title><script src=/umd/index.js></script>')
})
after(() => page.close())
await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
const pageUrl = `http://localhost:${(page.address() as AddressInfo).port}/?fbclid=Click-1`

/** Runs in the page, so it uses nothing from its closure. */
async function visitShop({ apiKey, apiHost, consent, customerId, email, order }: Record<string, unknown>) {
  const context = { consent }
  // biome-ignore lint/suspicious/noExplicitAny: the script of the page has no types here
  const { AnalyticsBrowser } = (globalThis as any).AnalyticsNext
  const segment = { apiKey, apiHost, protocol: 'http' }
  const cdnSettings = { integrations: { 'Segment.io': segment } }
  const [analytics] = await AnalyticsBrowser.load({ writeKey: apiKey, cdnSettings })
  await analytics.page('Home', {}, { context })
  await analytics.identify(customerId, { email }, { context })
  await analytics.track('Order Completed', order, { context })
}

for (const isGranted of [true, false])
  test(`analytics.js: a visit, an identify and a purchase ${isGranted ? 'arrive at Meta and GA4' : 'go nowhere where the consent refuses'}`, async (t) => {
    if (noChromium) return t.skip(noChromium)
    if (!existsSync(files)) return skipMissing(t, '@segment/analytics-next')
    const customer = await openShop(aglet, `analytics.js ${isGranted}`, 'segment')
    vendors.received.length = 0
    const browser = await openBrowser()
    t.after(() => browser.close())
    const tab = await browser.newPage()
    await tab.goto(pageUrl)
    await tab.evaluate(visitShop, {
      apiKey: customer.tagId,
      apiHost: `${new URL(customer.tagUrl).host}${new URL(customer.tagUrl).pathname}/v1`,
      consent: { categoryPreferences: { Advertising: isGranted, Analytics: isGranted } },
      ...{ customerId, email, order },
    })
    const purchase = await journeyNamed(customer, 'Purchase')
    assert.equal(purchase.trusted, false)
    if (isGranted) assertArrived(vendors, await journeyNamed(customer, 'PageView'), purchase)
    else assertRefused(vendors, purchase)
  })
