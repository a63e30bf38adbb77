import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@history.shop.example', 'vic@history.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 16)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  })
}

const dialogOf = (page: Page) => page.getByRole('dialog')

describe('deployments', { skip: noChromium }, () => {
  test('a person reads what a draft changes, deploys it, reads its values, and rolls back', async () => {
    const { tagId } = fixture.customer
    const body = { name: 'TikTok', providerId: 'tiktok', tagId, geoRegions: 'US,CA,MX', shouldDeploy: false }
    await call(fixture.customer, 'PUT', `/script/${fixture.scripts.tiktok}`, body)
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/deployments`)
    const draft = page.getByRole('region', { name: 'Saved, not live' }).first()
    await draft.getByText('TikTok changed').first().waitFor()
    await page.locator('del', { hasText: 'US,CA' }).waitFor()
    await page.locator('ins', { hasText: 'US,CA,MX' }).waitFor()
    await page.getByRole('button', { name: 'Deploy' }).click()
    await dialogOf(page).getByRole('button', { name: 'Deploy' }).click()
    await page.getByText('All saved changes are live.').waitFor()

    const row = page.getByRole('row', { name: /live/ })
    await row.getByText('Jane Doe').waitFor()
    await row.getByRole('link').click()
    await page.locator('ins', { hasText: 'US,CA,MX' }).waitFor()
    const live = page.getByRole('button', { name: 'Make it live again' })
    assert.equal(await live.getAttribute('title'), 'It is live.')
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByRole('link', { name: 'Next' }).waitFor()
    await live.click()
    await dialogOf(page).getByRole('button', { name: 'Make it live again' }).click()
    await page.getByText('Has the state of').waitFor()
    await page.locator('ins', { hasText: /^After US,CA$/ }).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('what a hook says against a deployment stands in the dialog', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    const refused = {
      message: 'A deploy hook stopped the deployment; nothing was saved. See hookErrors.',
      error: 'HOOK_FAILED',
      statusCode: 500,
      hookErrors: [{ url: 'https://ci.shop.example/', message: 'The review is missing.' }],
    }
    await page.route(/\/activate$/, (route) => route.fulfill({ status: 500, json: refused }))
    await go(`${pathsOf(fixture).tag}/deployments/1`)
    await page.getByRole('button', { name: 'Make it live again' }).click()
    await dialogOf(page).getByRole('button', { name: 'Make it live again' }).click()
    await dialogOf(page).getByText('The review is missing.').waitFor()
    await close()
  })

  test('a viewer reads deployments, makes none, and an unknown number has a page of its own', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/deployments/1`)
    const again = page.getByRole('button', { name: 'Make it live again' })
    assert.match((await again.getAttribute('title')) ?? '', /role editor/)
    await go(`${pathsOf(fixture).tag}/deployments/99999`)
    await page.getByText('Page not found').waitFor()
    await close()
  })
})

describe('visitors', { skip: noChromium }, () => {
  test('a visitor is found by e-mail, read, exported, and erased by typing the id', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/visitors`)
    await page.getByLabel('E-mail').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('No visitor found').waitFor()
    await page
      .getByText('Searched: stored visitors, e-mail addresses that visitors entered, and the content of events.')
      .waitFor()
    await page.getByLabel('E-mail').fill('visitor3@example.com')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Visitor' }).waitFor()
    await page.getByText('Last seen').waitFor()
    // a consent is stored for the user id of a call, and this visitor's calls had none
    await page.getByRole('region', { name: 'Consent' }).getByText('No consent was given').waitFor()
    await page.getByRole('list', { name: 'In the events' }).getByRole('link').first().waitFor()
    await page.getByRole('table', { name: 'Events' }).getByRole('link').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    assert.match((await download).suggestedFilename(), /\.json$/)

    const userId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await page.getByRole('button', { name: 'Erase' }).click()
    const sure = dialogOf(page).getByRole('button', { name: 'Erase' })
    assert.equal(await sure.getAttribute('aria-disabled'), 'true')
    await dialogOf(page).getByRole('textbox').fill(userId)
    await sure.click()
    await page.getByText('This visitor is erased').waitFor()
    await close()
  })

  test('an address that stands on events alone is found and erased with them; their pages say so and send nothing again', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    const event = shopEvent(7_001, { userEmail: 'only@example.com', eventName: 'Purchase' })
    await sendEvents(fixture.customer, [event])
    const { tag } = pathsOf(fixture)
    const path = `/tag/${fixture.customer.tagId}/event/${event.eventId}`
    await until(async () => (await call(fixture.customer, 'GET', path)).status === 200)
    await go(`${tag}/visitors`)
    await page.getByLabel('E-mail').fill('only@example.com')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('table', { name: 'Visitors' }).getByRole('link').waitFor()
    await page.getByRole('button', { name: 'Erase' }).click()
    await dialogOf(page).getByRole('textbox').fill('only@example.com')
    await dialogOf(page).getByRole('button', { name: 'Erase' }).click()
    await page.getByText('No visitor found').waitFor()
    await go(`${tag}/events/${event.eventId}?caller=untrusted`)
    await page.getByText('The visitor of this event was erased.').waitFor()
    await page.getByText('The visitor was erased, and the content of this event with them.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0)
    assert.equal(await page.getByText('retention').count(), 0)
    await close()
  })

  test('a viewer gets no page of visitors', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(pathsOf(fixture).tag)
    assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Visitors' }).count(), 0)
    await go(`${pathsOf(fixture).tag}/visitors/usr_1`)
    await page.getByText('Not for your role').waitFor()
    await close()
  })

  test('the pages of deployments and visitors are accessible in both themes', async () => {
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const options = { colorScheme, viewport: { width, height: 900 } }
      const { page, go, consoleErrors, strangers, close } = await watch(browser, fixture.aglet.origin, owner, options)
      const found: string[] = []
      for (const path of ['deployments', 'deployments/2', 'visitors', 'visitors/usr_unknown']) {
        await go(`${pathsOf(fixture).tag}/${path}`)
        found.push(...(await violations(page)).map((each) => `${path} ${each}`))
      }
      assert.deepEqual([found, consoleErrors, strangers], [[], [], []])
      await close()
    }
  })
})
