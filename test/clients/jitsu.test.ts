import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { makeSourceKey, openAglet } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { exportsOf, skipMissing } from './client.ts'
import { assertArrived, assertRefused, customerId, email, journeyNamed, landing, openShop, order } from './shop.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('jitsu', { AGLET_VENDORS_URL: vendors.url })

type Analytics = {
  setAnonymousId(id: string): Promise<unknown>
  page(properties: object): Promise<unknown>
  identify(userId: string, traits: object): Promise<unknown>
  track(event: string, properties: object): Promise<unknown>
}
type Sdk = { jitsuAnalytics(options: object): Analytics }

for (const isGranted of [true, false])
  test(`@jitsu/js: a visit, an identify and a purchase ${isGranted ? 'arrive at Meta and GA4' : 'go nowhere where the consent refuses'}`, async (t) => {
    const sdk = exportsOf<Sdk>('@jitsu/js')
    if (!sdk) return skipMissing(t, '@jitsu/js')
    const customer = await openShop(aglet, `jitsu ${isGranted}`, 'segment')
    const device = randomUUID()
    vendors.received.length = 0
    const analytics = sdk.jitsuAnalytics({
      host: customer.tagUrl,
      writeKey: `aglet:${await makeSourceKey(aglet, customer)}`,
      privacy: { consentCategories: { Advertising: isGranted, Analytics: isGranted } },
    })
    await analytics.setAnonymousId(device)
    await analytics.page({ url: landing, title: 'Home' })
    await analytics.identify(customerId, { email })
    await analytics.track('Order Completed', order)
    const purchase = await journeyNamed(customer, 'Purchase')
    assert.deepEqual([purchase.userId, purchase.trusted], [device, true])
    if (isGranted) assertArrived(vendors, await journeyNamed(customer, 'PageView'), purchase)
    else assertRefused(vendors, purchase)
  })
