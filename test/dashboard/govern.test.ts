import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { call } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@govern.shop.example', 'vic@govern.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 12)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  })
}

const dialogOf = (page: Page) => page.getByRole('dialog')

describe('governance', { skip: noChromium }, () => {
  test('an owner registers an application, and its secret is shown once', async () => {
    const { page, context, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await context.grantPermissions(['clipboard-write']) // which a person's browser grants by their click
    await go(`${pathsOf(fixture).team}/applications`)
    await page.getByRole('button', { name: 'Register an application' }).click()
    const dialog = dialogOf(page)
    await dialog.getByLabel('Name').fill('Warehouse job')
    await dialog.getByRole('button', { name: 'Read only' }).click()
    await dialog.getByRole('button', { name: 'Register' }).click()
    await dialog.getByText('The client secret').waitFor()
    const [clientId, secret] = await dialog.locator('.onceValue code').allTextContents()
    await dialog.getByRole('button', { name: 'Close' }).click()
    const panel = page.getByRole('region', { name: 'Warehouse job' })
    await panel.getByText('waits for the operator').waitFor()
    const token = panel.getByRole('button', { name: 'New token' })
    assert.match((await token.getAttribute('title')) ?? '', /not approved/)
    assert.ok(!(await page.content()).includes(secret!) && (await page.content()).includes(clientId!))

    await panel.getByRole('button', { name: 'New secret' }).click()
    await dialog.getByRole('button', { name: 'Create a new secret' }).click()
    await dialog.getByText('Copy it now').waitFor()
    assert.notEqual(await dialog.locator('.onceValue code').textContent(), secret)
    const copyButton = dialog.locator('.onceValue .copy')
    await copyButton.getByRole('button').click()
    await copyButton.getByText('Copied').waitFor()
    await copyButton.getByText('Copied').waitFor({ state: 'detached' })
    await page.evaluate(() => Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })) // plain http
    await copyButton.getByRole('button').click()
    assert.equal(await copyButton.getByText('Copied').count(), 0)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await panel.getByRole('button', { name: 'Delete Warehouse job' }).click()
    await dialog.getByRole('textbox').fill('Warehouse job')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await panel.waitFor({ state: 'detached' })
    await close()
  })

  test('a hook is added with an issue at its field, shows its key once, and is removed', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/hooks`)
    await page.getByText('No hooks').waitFor()
    await page.getByRole('button', { name: 'Add a hook' }).click()
    const dialog = dialogOf(page)
    await dialog.getByLabel('Address').fill('ftp://hooks.shop.example')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByLabel('Address').fill('https://hooks.shop.example/aglet')
    await dialog.getByLabel(/when a channel stops/).check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    assert.match((await dialog.locator('.onceValue code').textContent())!, /^whsec_/)
    await dialog.getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('row', { name: /hooks.shop.example.*Alerts/ })
    await row.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No hooks').waitFor()
    await close()
  })

  test('the audit names people, and is filtered by person, operation and object', async () => {
    await call(fixture.customer, 'PUT', `/tag/${fixture.customer.tagId}`, { gpc: true })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    const { team } = pathsOf(fixture)
    await go(`${team}/audit?what=updateTag`)
    const table = page.getByRole('table', { name: 'Audit' })
    await table
      .getByRole('row', { name: /Change the tag settings/ })
      .first()
      .waitFor()
    assert.equal(await table.getByText('Add a channel').count(), 0)
    await page.getByText('Export', { exact: true }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'NDJSON' }).click()
    const rows = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n')
    assert.ok(rows.length > 0)
    for (const row of rows) assert.equal(JSON.parse(row).what, 'updateTag')
    await table.getByRole('button', { name: 'Show what changed' }).first().click()
    await dialogOf(page).getByLabel('After').getByText('"gpc": true').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Withdraw a policy' })
    await page.getByText('No change matches').waitFor()
    await page.getByRole('button', { name: 'Clear' }).last().click()
    await table.getByText('Add a channel').first().waitFor()
    await go(`${team}/audit?object=${fixture.scripts.meta}`)
    await table.getByRole('row', { name: /Add a channel.*Meta/ }).waitFor()
    await close()
  })

  test('a viewer gets no page of owners, and the frame does not offer it', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    const { team } = pathsOf(fixture)
    await go(team)
    const navigation = page.getByRole('navigation')
    for (const name of ['Audit', 'Applications']) assert.equal(await navigation.getByRole('link', { name }).count(), 0)
    await navigation.getByRole('link', { name: 'Hooks' }).click()
    const add = page.getByRole('button', { name: 'Add a hook' })
    assert.match((await add.getAttribute('title')) ?? '', /role editor/)
    for (const path of ['audit', 'applications']) {
      await go(`${team}/${path}`)
      await page.getByText('Not for your role').waitFor()
    }
    await close()
  })

  test('every page of governance is accessible in both themes, for each role', async () => {
    for (const [colorScheme, width, email] of [
      ['light', 1440, owner],
      ['dark', 390, owner],
      ['dark', 1440, viewer],
    ] as const) {
      const options = { colorScheme, viewport: { width, height: 900 } }
      const { page, go, consoleErrors, strangers, close } = await watch(browser, fixture.aglet.origin, email, options)
      const { team, tag } = pathsOf(fixture)
      const found: string[] = []
      for (const path of ['applications', 'hooks', 'alerts', 'policies', 'audit', 'members', 'settings', 'tags/new']) {
        await go(`${team}/${path}`)
        found.push(...(await violations(page)).map((each) => `${path} ${each}`))
      }
      for (const path of ['replays', 'settings']) {
        await go(`${tag}/${path}`)
        found.push(...(await violations(page)).map((each) => `${path} ${each}`))
      }
      assert.deepEqual([found, consoleErrors, strangers], [[], [], []])
      await close()
    }
  })
})
