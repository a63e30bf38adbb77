import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { call, openAglet, operate, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture, openVendors, vendorEnvironment } from '../fake/dashboard.ts'
import { pathsOf, sharedBrowser, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const vendors = await openVendors()
  const aglet = await openAglet('dashboard-own', vendorEnvironment(vendors))
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 6)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    browser = await sharedBrowser()
  })
  after(() => vendors.close())
}

const alertOf = (alertId: string, tagId: string, scriptId: string) => ({
  alertId,
  kind: 'paused',
  tagId,
  scriptId,
  reason: 'keyRejected',
  count: 1,
  since: 1,
  at: 1,
  sendings: [],
})

describe('the person and the operator', { skip: noChromium }, () => {
  test('a person changes the own name, ends another session, and a wrong password is named', async () => {
    const other = await watch(browser, fixture.aglet.origin, owner, { isNewSession: true })
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, { isNewSession: true })
    await go('/dashboard/me')
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    const sessions = page.getByRole('table', { name: 'Where you are signed in' })
    await sessions.getByText('this browser').waitFor()
    const ends = sessions.getByRole('button', { name: 'Sign out' })
    const open = await ends.count()
    await ends.first().click()
    await until(async () => (await ends.count()) === open - 1)
    await page.getByText('None. An application that you sign in to is listed here.').waitFor()

    await page.getByLabel('New password').fill('another long password')
    await page.getByLabel('Current password').fill('wrong')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('New password').fill('')
    await page.getByLabel('Current password').fill('')
    await page.getByRole('textbox', { name: 'Name' }).fill('Jane Roe')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await other.close()
    await close()
  })

  test('a person sees the browsers where they signed in, and forgets one', async () => {
    const other = await watch(browser, fixture.aglet.origin, owner, { isNewSession: true })
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, { isNewSession: true })
    await go('/dashboard/me')
    const devices = page.getByRole('table', { name: 'Known browsers' })
    await devices.getByRole('row', { name: /Chrome on Linux this browser/ }).waitFor()
    const forgets = devices.getByRole('button', { name: 'Forget' })
    const known = await forgets.count()
    await forgets.last().click()
    await until(async () => (await forgets.count()) === known - 1)
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await other.close()
    await close()
  })

  test('a channel that stops while a page is open is notified, where the person has switched it on', async () => {
    const { customer } = fixture
    const { page, context, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await context.grantPermissions(['notifications'], { origin: fixture.aglet.origin })
    await page.addInitScript(`window.shown = []
      window.Notification = class { static permission = 'granted'
        static requestPermission = async () => 'granted'
        constructor(title, { body }) { window.shown.push(title + ': ' + body) } }`)
    await page.clock.install()
    let alerts: object[] = []
    await page.route(/\/v1\/alert\?/, (route) => route.fulfill({ json: { alerts } }))
    await go(pathsOf(fixture).tag)
    alerts = [alertOf('alert_1', customer.tagId, fixture.scripts.braze!)]
    await page.clock.runFor(40_000)
    assert.equal(await page.title(), 'Overview · Aglet')

    alerts = []
    await go('/dashboard/me')
    const choice = page.getByRole('checkbox', { name: /^Notify me when a channel stops/ })
    const read = page.waitForResponse(/\/v1\/alert\?/)
    await choice.check()
    await read
    alerts = [alertOf('alert_2', customer.tagId, fixture.scripts.braze!)]
    await page.clock.runFor(40_000)
    await until(async () => (await page.title()) === '(1) Your account · Aglet')
    await until(async () => (await page.evaluate<string[]>('window.shown')).length === 1)
    assert.deepEqual(await page.evaluate('window.shown'), ['Braze has stopped: Reason: key rejected. Its events wait.'])
    assert.equal(await page.evaluate("localStorage.getItem('aglet.notifications')"), 'on')
    await choice.uncheck()
    await until(async () => (await page.title()) === 'Your account · Aglet')
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('the operator makes a team, approves an application, publishes a policy, and sees health and settings', async () => {
    const waiting = { name: 'Warehouse job', scopes: ['event:read'] }
    assert.equal((await call(fixture.customer, 'POST', '/application', waiting)).status, 200)
    const { url } = await operate<{ url: string }>(fixture.aglet, 'sign-in', 'production', {})
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin)
    await page.goto(url)
    await page.getByRole('button').first().click()
    await go('/dashboard/operator')
    await page.getByRole('heading', { level: 1, name: 'Operator' }).waitFor()
    await page.getByText('ready', { exact: true }).waitFor()
    await page.getByLabel('Name of the new team').fill('Third shop')
    await page.getByRole('button', { name: 'Create a team' }).click()
    await page.getByText('Third shop was created.').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('No applications are waiting.').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByLabel('Version').fill('2026-11')
    await page.getByRole('dialog').getByLabel('Address of the text').fill('javascript:alert(1)')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.locator('dialog .fieldIssue').getByText(/./).waitFor()
    await page.getByRole('dialog').getByLabel('Address of the text').fill('https://aglet.example/terms')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('row', { name: /Terms and conditions 2026-11/ }).waitFor()
    await page
      .getByRole('row', { name: /AGLET_/ })
      .first()
      .waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await close()
  })

  test('a team reads a policy where its text stands, accepts it, and sees when and by whom', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/policies`)
    const link = page.getByRole('link', { name: 'Read it' })
    assert.equal(await link.getAttribute('href'), 'https://aglet.example/terms')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click()
    await page.getByText(/^by Jane/).waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await close()
  })

  test('nobody else gets the page of the operator', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).team)
    await page.locator('.menu.person summary').click()
    assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0)
    await go('/dashboard/operator')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Create a team' }).count(), 0)
    await close()
  })
})
