import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Script } from '#contract/script.ts'
import { violations } from '../fake/accessibility.ts'
import { call } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, makeFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@rules.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await makeFixture(aglet, vendors)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

describe('the rules of a channel', { skip: noChromium }, () => {
  test('are built by sentences with their JSON beside, tried on an event and saved with what they change', async () => {
    const meta = fixture.scripts.meta!
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/${meta}/edit`)
    const panel = page.getByRole('region', { name: 'Rules' })
    await panel.getByText('Every event that the channel supports is delivered.').waitFor()
    await panel.getByRole('button', { name: 'Add a condition' }).click()
    await panel.getByLabel('Value').fill('Lead')
    await panel.getByLabel('Value').press('Tab')
    const json = panel.getByLabel('As JSON')
    assert.deepEqual(JSON.parse(await json.inputValue()), { filter: { eventName: { $eq: 'Lead' } } })
    assert.deepEqual(await violations(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    assert.deepEqual(await tooWide(page), [])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Not sent: a rule of the channel requires that eventName is “Lead”.').waitFor()
    await json.fill('{"filter":{"eventName":"Purchase"},"map":[{"remove":"userPhone"}]')
    await panel.getByText('This is not a JSON object with filter, rename, map and sample.').waitFor()
    await json.fill('{"filter":{"eventName":"Purchase"},"map":[{"remove":"userPhone"}]}')
    assert.equal(await panel.getByLabel('Field to set').inputValue(), 'userPhone')
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    await page.getByText(/Of the last \d+ events the channel gets \d+/).waitFor()
    const { body } = await call<Script>(fixture.customer, 'GET', `/script/${meta}`)
    assert.deepEqual([body.filter, body.map], [{ eventName: 'Purchase' }, [{ remove: 'userPhone' }]])
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
