import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Script } from '#contract/script.ts'
import { violations } from '../fake/accessibility.ts'
import { call, makeScript } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, makeFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@webhookcalls.shop.example'
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

const code = `async function process({ request, logger }) {
  const { orders } = await request.json()
  logger.log('orders', orders.length)
  if (orders.length === 0) throw new Error('the call has no orders')
  return new Response('done')
}`

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

describe('a webhook that other systems call', { skip: noChromium }, () => {
  test('shows a failed call on its page, in Live and in the overview, with its line, logs and request', async () => {
    const { customer, aglet } = fixture
    const secrets = [{ variable: 'WEBHOOK_CODE', type: 'TEXT', value: code } as const]
    const hook = await makeScript(customer, 'webhook', 'Orders', secrets, { consentCategory: 'functional' })
    const { webhookUrl } = (await call<Script>(customer, 'GET', `/script/${hook}`)).body
    const { tag, team } = pathsOf(fixture)
    const { page, go, consoleErrors, close } = await watch(browser, aglet.origin, owner)
    await go(`${tag}/live`)
    await page.getByText('watching').waitFor()
    assert.equal((await post(webhookUrl!, '{"orders":[1,2]}')).status, 200)
    assert.ok((await post(webhookUrl!, '{"orders":[]}')).status >= 500)
    await page.getByText('the call has no orders (line 4)').waitFor()
    await page
      .getByRole('row', { name: /the call has no orders/ })
      .getByRole('link')
      .click()
    const calls = page.getByRole('region', { name: 'Calls' })
    await page.getByText('1 of 2 calls of the last hour failed.').waitFor()
    const failed = calls.locator('details.bad')
    await failed
      .getByText(/line 4/)
      .first()
      .waitFor()
    await failed.locator('summary').click()
    await failed.getByText('orders 0').waitFor()
    await failed.getByText('{"orders":[]}').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    assert.deepEqual(await tooWide(page), [])
    await page.setViewportSize({ width: 1440, height: 900 })
    await go(tag)
    await page.getByText('Orders: 1 of 2 calls failed in the last hour.').waitFor()
    await page
      .getByRole('row', { name: /Orders/ })
      .getByText('failing')
      .waitFor()
    await go(`${tag}/channels`)
    await page
      .getByRole('row', { name: /Orders/ })
      .getByText('failing')
      .waitFor()
    await go(team)
    await page.getByText(/1 of \d failing/).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('gets a token when it is saved from the playground; address and token are shown once and work', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/playground`)
    await page.getByRole('button', { name: 'Webhook' }).click()
    await page.getByLabel('Name of the channel').fill('Private')
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('it is not shown again').waitFor()
    const [url, token] = await dialog.locator('code').allInnerTexts()
    assert.equal((await post(url!, '{}')).status, 401)
    assert.notEqual((await post(url!, '{}', { authorization: `Bearer ${token}` })).status, 401)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Calls need the header Authorization').waitFor()
    assert.equal(await page.getByText(token!).count(), 0)
    await close()
  })

  test('is public only by a choice that warns', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/playground`)
    await page.getByRole('button', { name: 'Webhook' }).click()
    await page.getByLabel('Public: no token needed').check()
    await page.getByText('Anyone with the address can run this code').waitFor()
    await page.getByLabel('Name of the channel').fill('Open')
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByText('Public: anyone with this address can run the code.').waitFor()
    await close()
  })
})

describe('a refused call in Live', { skip: noChromium }, () => {
  test('opens, and names the missing field', async () => {
    const { customer, aglet } = fixture
    const { page, go, close } = await watch(browser, aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/live`)
    await page.getByText('watching').waitFor()
    const refused = await post(`${customer.tagUrl}/tag`, '{"eventId":"e-1","data":{}}', { origin: 'http://localhost' })
    assert.equal(refused.status, 400)
    const row = page.getByRole('row', { name: /Call refused/ })
    await row.getByText('Field eventName').waitFor()
    await row.getByRole('button', { name: 'Call refused' }).click()
    await page.getByRole('dialog').getByText('The field eventName of the call is missing or wrong.').waitFor()
    await close()
  })
})
