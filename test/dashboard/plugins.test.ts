import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { call, openAglet } from '../fake/aglet.ts'
import { noChromium, openBrowser } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture, openVendors, vendorEnvironment } from '../fake/dashboard.ts'
import { pathsOf, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@shop.example', 'vic@shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const vendors = await openVendors()
  const aglet = await openAglet('dashboard-plugins', vendorEnvironment(vendors))
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 6)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await vendors.close()
  })
}

describe('plugins', { skip: noChromium }, () => {
  test('a chain that is not saved is tried on a sample and on a real event', async () => {
    const { customer } = fixture
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/plugins`)
    const part = page.getByRole('region', { name: 'Try on an event' })
    await part.getByRole('button', { name: 'Try' }).click()
    await part.getByText('No plugin changed it.').waitFor()

    await page.getByLabel('Add a plugin').selectOption('eventRename')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page
      .getByRole('listitem')
      .getByRole('textbox')
      .first()
      .fill(JSON.stringify({ Purchase: 'Order' }))
    await part.getByRole('button', { name: 'Try' }).click()
    await part.getByText('“Rename events” changed eventName.').waitFor()
    await part.locator('ins', { hasText: 'Order' }).waitFor()

    await part.getByLabel('Event', { exact: true }).selectOption('real order-1004')
    await part.getByRole('button', { name: 'Try' }).click()
    await part
      .getByText(/trail-shoe/)
      .first()
      .waitFor()
    await part.locator('ins', { hasText: 'Order' }).waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    const { body } = await call<{ plugins: unknown[] }>(customer, 'GET', `/tag/${customer.tagId}`)
    assert.deepEqual(body.plugins, [])
    await close()
  })

  test('a viewer reads the plugins and cannot try them', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/plugins`)
    const button = page.getByRole('button', { name: 'Try' })
    assert.match((await button.getAttribute('title')) ?? '', /role editor/)
    await close()
  })
})
