import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { OrderReport } from '#contract/order.ts'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@orders.shop.example'
const viewer = 'vera@orders.shop.example'
let fixture: DashboardFixture
let browser: Browser

const hourMs = 3_600_000
/** Purchases of the fixture have the numbers 4, 12 and 20; no other order of these has an event. */
const orderOf = (n: number) => ({
  ...{ orderId: `order-${n}`, placedAt: Date.now() - 2 * hourMs, updatedAt: Date.now(), status: 'paid' },
  ...{ salesChannel: 'web', value: 49.5, currency: 'EUR', source: 'upload' },
})

if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 24)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vera Viewer', email: viewer, role: 'viewer' })
    const { tagId } = fixture.customer
    const orders = [4, 12, 20, 501, 502].map(orderOf)
    const stored = await call(fixture.customer, 'POST', `/tag/${tagId}/order`, orders)
    assert.equal(stored.status, 200, JSON.stringify(stored.body))
    await until(async () => {
      const { body } = await call<OrderReport>(fixture.customer, 'GET', `/tag/${tagId}/reconciliation`)
      return body.channels.some(({ name, accepted }) => name === 'Meta' && accepted === 3)
    })
  })
}

const channelCount = async () => {
  const { body } = await call<OrderReport>(fixture.customer, 'GET', `/tag/${fixture.customer.tagId}/reconciliation`)
  return body.channels.length
}

describe('orders', { skip: noChromium }, () => {
  test('the cells of a channel add up, one click opens the orders of a cell, and one more a journey', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/orders`)
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await page.getByText('5 expected orders').waitFor()
    const meta = page.getByRole('table', { name: 'Orders by channel' }).getByRole('row', { name: /^Meta/ })
    const texts = await meta.getByRole('cell').allInnerTexts()
    const counts = texts.slice(0, 6).map(Number)
    assert.deepEqual([counts[0], counts[4], counts.reduce((sum, each) => sum + each, 0)], [3, 2, 5])
    assert.match(texts[6]!, /99/)
    assert.deepEqual(await violations(page), [])

    await meta.getByRole('link', { name: /^No event, Meta: 2 orders/ }).press('Enter')
    await page.waitForURL(/cell=noEvent/)
    const missing = page.getByRole('table', { name: /^Meta: no event/ })
    await missing.getByText('order-501').waitFor()
    assert.equal(await missing.getByRole('row').count(), 3)
    assert.deepEqual(await violations(page), [])

    await meta.getByRole('link', { name: /^Accepted, Meta: 3 orders/ }).press('Enter')
    const accepted = page.getByRole('table', { name: /^Meta: accepted/ })
    await accepted.getByRole('link', { name: 'order-4', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Order order-4' }).waitFor()
    const cells = page.getByRole('table', { name: 'The order in each channel' })
    const ofMeta = cells.getByRole('row', { name: /^Meta/ })
    assert.match(await ofMeta.innerText(), /accepted/)
    assert.equal(await cells.getByRole('row').count(), 1 + (await channelCount()))
    await page.getByRole('table', { name: 'Purchases of the order' }).getByText('order-1004').waitFor()
    assert.deepEqual(await violations(page), [])
    await ofMeta.getByRole('link', { name: 'Show the journey to Meta' }).press('Enter')
    await page.waitForURL(/\/events\/order-1004\?delivery=/)
    await page.getByRole('heading', { level: 1, name: 'Purchase' }).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('an order without an event says so, one that is not listed is none, and both lead back to the open cell', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    const { tag } = pathsOf(fixture)
    const query = `?channel=${fixture.scripts.meta}&cell=noEvent`
    await go(`${tag}/orders/order-501${query}`)
    await page.getByText('The tag got no purchase of this order').waitFor()
    const cells = page.getByRole('table', { name: 'The order in each channel' })
    assert.match(await cells.getByRole('row', { name: /^Meta/ }).innerText(), /no event/)
    assert.equal(await cells.getByRole('link').count(), 0)
    await page.locator('main').getByRole('link', { name: 'Orders' }).press('Enter')
    await page.getByRole('table', { name: /^Meta: no event/ }).waitFor()
    await go(`${tag}/orders/${encodeURIComponent('no/such #order')}`)
    await page.getByText('The shop has not listed this order').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a repair tells first what it would send, and sends nothing until it is confirmed', async () => {
    const { page, go, sent, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/orders`)
    await page.getByRole('button', { name: 'Send what is missing' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Send what is missing' })
    await dialog.getByText(/no stored data to build a purchase from/).waitFor()
    assert.deepEqual(await violations(page), [])
    const repairs = sent.filter((each) => each.includes('/reconciliation/repair'))
    assert.equal(repairs.length, 1)
    assert.match(repairs[0]!, /"dryRun":true/)
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a viewer sees the orders and not the way to send them', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/orders`)
    await page.getByText('5 expected orders').waitFor()
    const button = page.getByRole('button', { name: 'Send what is missing' })
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await close()
  })

  test('narrow, dark and in German nothing is cut off; a tag without orders says how they come', async () => {
    const options = { locale: 'de-DE', viewport: { width: 320, height: 800 }, colorScheme: 'dark' } as const
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, options)
    const { tag, team } = pathsOf(fixture)
    await go(`${tag}/orders?channel=${fixture.scripts.meta}&cell=accepted,noEvent`)
    await page.getByRole('heading', { level: 1, name: 'Bestellungen' }).waitFor()
    await page.getByText('order-501').waitFor()
    assert.deepEqual(await tooWide(page), [])
    assert.deepEqual(await violations(page), [])
    assert.doesNotMatch(await page.locator('main').innerText(), /\bundefined\b|\[object/)
    await go(`${tag}/orders/order-4`)
    await page.getByRole('heading', { level: 1, name: 'Bestellung order-4' }).waitFor()
    assert.deepEqual(await tooWide(page), [])
    assert.deepEqual(await violations(page), [])
    const tagBody = { name: 'Empty', domain: 'empty.example' }
    const { body } = await call<{ tagId: string }>(fixture.customer, 'POST', '/tag', tagBody)
    await go(`${team}/tags/${body.tagId}/orders`)
    await page.getByText('Keine Bestellungen in diesem Zeitraum').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
