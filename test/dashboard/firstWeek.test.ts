import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@firstweek.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 24)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

describe('the first week', { skip: noChromium }, () => {
  test('a rejected key is replaced by its own field: why it was refused, a try that fails, and one that is saved', async () => {
    const braze = fixture.scripts.braze!
    const { tag } = pathsOf(fixture)
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await until(async () => {
      const path = `/tag/${fixture.customer.tagId}/channel`
      const { body } = await call<{ channels: { scriptId: string; state: string }[] }>(fixture.customer, 'GET', path)
      return body.channels.some(({ scriptId, state }) => scriptId === braze && state === 'keyRejected')
    })
    await go(tag)
    await page.getByRole('link', { name: 'Replace the key' }).click()
    await page.getByText(/The vendor refused the current key .*Invalid API Key/).waitFor()
    assert.equal(await page.locator('main input').count(), 1)
    await page.locator('main input').fill('bad-key')
    await page.getByRole('button', { name: 'Try and save' }).click()
    await page.getByText('The vendor did not accept the test event. Nothing was saved.').waitFor()
    await page.locator('main input').fill('a-good-key')
    await page.getByRole('button', { name: 'Try and save' }).click()
    await page.waitForURL(/\/channels\/scr_[^/]+$/)
    await page.getByText('Last delivered').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('several events are selected and sent again; a filter is saved under a name', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/events?name=Purchase`)
    await page.locator('summary', { hasText: 'Views' }).click()
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Orders')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('summary', { hasText: 'Orders' }).waitFor()
    await page.reload()
    await settled(page)
    await page
      .getByRole('checkbox', { name: /^Select order-/ })
      .first()
      .check()
    await page
      .getByRole('checkbox', { name: /^Select order-/ })
      .nth(1)
      .check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Send again…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('delivered').check()
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByRole('table').waitFor()
    assert.equal(await dialog.locator('[type=datetime-local]').count(), 0)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('events are found by order id and by the customer id of the shop', async () => {
    const { customer } = fixture
    const order = (n: number, more: object) => shopEvent(4, { eventId: `found-${n}`, ...more })
    const of = (orderId: string) => ({ data: { value: 5, currency: 'EUR', orderId } })
    const trusted = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
    await sendEvents(customer, [order(1, of('A-77')), order(2, of('A-78'))])
    await sendEvents(
      customer,
      [order(3, { ...of('A-79'), userCustomerId: 'C-42', userEmail: 'c42@example.com' })],
      trusted,
    )
    for (const query of ['orderId=A-77', 'orderId=A-78', 'customerId=C-42'])
      await until(async () => {
        const path = `/tag/${customer.tagId}/event?${query}`
        return (await call<{ events: unknown[] }>(customer, 'GET', path)).body.events.length === 1
      })
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    const rows = async () => (await page.locator('.listRow').allInnerTexts()).join(' ')
    for (const [filter, text, found] of [
      ['Order id', 'A-77', 'found-1'],
      ['Customer id', 'C-42', 'found-3'],
    ] as const) {
      await go(`${pathsOf(fixture).tag}/events`)
      await page.getByRole('button', { name: 'More filters' }).click()
      await page.getByRole('searchbox', { name: filter }).fill(text)
      await page.keyboard.press('Enter')
      await until(async () => {
        const shown = await rows()
        return shown.includes(found) && (shown.match(/found-/g) ?? []).length === 1
      })
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).fill('A-78')
    await page.getByRole('option', { name: 'Find events of order A-78' }).click()
    await until(async () => (await rows()).includes('found-2'))
    await go(`${pathsOf(fixture).tag}/deliveries?order=A-78`)
    assert.ok(await page.getByRole('button', { name: 'Send again…' }).getAttribute('aria-disabled'))
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('policies of a fresh server are an empty page, and the navigation beside a new tag leads to pages that exist', async () => {
    const { page, go, sent, consoleErrors, lines, close } = await watch(browser, fixture.aglet.origin, owner)
    const { team } = pathsOf(fixture)
    await go(`${team}/policies`)
    await page.getByText('No policies').waitFor()
    assert.equal(sent.filter((line) => line.includes('/policy/')).length, 0)
    assert.deepEqual(
      lines.filter((line) => line.includes('409')),
      [],
    )
    await go(`${team}/tags/new`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Second shop')
    await page.getByRole('textbox', { name: 'Domain' }).fill('https://second.example/cart?a=1')
    const links = await page
      .getByRole('navigation')
      .getByRole('link')
      .evaluateAll((all) => all.map((each) => `${each}`))
    assert.deepEqual(
      links.filter((href) => href.includes('/tags/new')),
      [],
    )
    await page.getByRole('button', { name: 'Create the tag' }).click()
    await page.waitForURL(/\/install$/)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('the number of failed deliveries is the same above and below on the overview', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).tag)
    const tile = page.locator('.tile', { hasText: 'Delivered' }).first()
    const failed = page.locator('.funnelGroup', { hasText: 'Failed' }).locator('b')
    await failed.waitFor()
    await until(async () => {
      const below = (await failed.innerText()).trim()
      return (await tile.innerText()).includes(below === '0' ? 'none failed, as of now' : `${below} failed, as of now`)
    })
    await close()
  })
})
