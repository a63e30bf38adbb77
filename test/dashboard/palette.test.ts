import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@palette.shop.example', 'vic@palette.shop.example']
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

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
  await page.keyboard.type(text)
}

describe('the palette', { skip: noChromium }, () => {
  test('an owner finds an action by its words and is at its page, with its dialog open', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).tag)
    await search(page, 'invite')
    await page.getByRole('option', { name: 'Invite a person' }).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Invite a person' }).waitFor()
    await page.keyboard.press('Escape')
    await search(page, 'erase')
    await page.getByRole('option', { name: 'Erase a visitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Visitors' }).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a viewer is offered no change, and everyone signs out from it', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer, { isNewSession: true })
    await go(pathsOf(fixture).tag)
    await search(page, 'invite')
    await page.getByRole('option', { name: 'Open event invite' }).waitFor()
    assert.deepEqual(await page.getByRole('dialog').getByRole('option').allTextContents(), ['Open event inviteEvent'])
    await page.keyboard.press('Escape')
    await search(page, 'sign out')
    await page.getByRole('option', { name: 'Sign out' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await close()
  })

  test('the help of a page opens beside it', async () => {
    const { page, context, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/replays`)
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Help with this page' }).click()
    const help = await opened
    await help.getByRole('heading', { level: 1, name: 'Sending events again' }).waitFor()
    assert.deepEqual(await violations(help), [])
    await close()
  })
})
