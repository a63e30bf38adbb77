import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { call } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@plugins.shop.example', 'vic@plugins.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 6)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
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
