import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Application } from '#contract/account.ts'
import type { Tag } from '#contract/tag.ts'
import { call, operate, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@manage.shop.example', 'vic@manage.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 30)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  })
}

const readTag = async (tagId: string) => (await call<Tag>(fixture.customer, 'GET', `/tag/${tagId}`)).body
const inDialog = (page: Page) => page.getByRole('dialog')

describe('replays', { skip: noChromium }, () => {
  test('a person counts what a filter would send again, starts it, and sees its outcome by channel', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    const { tag } = pathsOf(fixture)
    await go(`${tag}/replays?status=skipped&channel=${fixture.scripts.tiktok}`)
    await page.getByText('Nothing was sent again yet').waitFor()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText(/deliveries match/).waitFor()
    await page.getByRole('row', { name: /TikTok.*region/ }).waitFor()
    assert.ok(await page.getByLabel('TikTok').isChecked())

    await page.getByLabel('TikTok').uncheck()
    await page.getByLabel('Google Analytics 4').check()
    await page.getByLabel('delivered', { exact: true }).check()
    await page.getByLabel('not sent', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('button', { name: /^Send \d+ deliver/ }).click()
    await page.getByRole('heading', { level: 1, name: /^Replay of/ }).waitFor()
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByRole('row', { name: /Google Analytics 4.*delivered/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0)

    await page.getByRole('link', { name: 'Again with this filter' }).click()
    await page.getByLabel('delivered', { exact: true }).waitFor()
    assert.ok(await page.getByLabel('Google Analytics 4').isChecked())
    await page.getByRole('table', { name: 'Replays' }).getByText('Jane Doe').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a viewer reads the replays and starts none', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/replays`)
    await page.getByRole('heading', { level: 2, name: 'Replays' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Count' }).count(), 0)
    await close()
  })
})

describe('settings of a tag', { skip: noChromium }, () => {
  test('a person changes settings, an issue stands at its field, and what others changed is not overwritten unseen', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    const { tagId } = fixture.customer
    await go(`${pathsOf(fixture).tag}/settings`)
    const save = page.getByRole('button', { name: 'Save and deploy' })
    assert.equal(await save.getAttribute('aria-disabled'), 'true')

    await page.getByLabel('Allowed origins').fill('http://localhost\nnot an origin')
    await page.getByText('1 setting changed').waitFor()
    await save.click()
    await page.locator('.fieldIssue:not(:empty)').first().waitFor()
    await page.getByLabel('Allowed origins').fill('http://localhost\nhttps://m.shop.example')
    await page.getByLabel('Wait for a missing consent').selectOption('10')
    await page.getByLabel('Token of server calls').selectOption('required')
    await save.click()
    await page.getByText('Saved and live.').waitFor()
    const saved = await readTag(tagId)
    assert.deepEqual(
      [saved.allowedOrigins, saved.hold, saved.serverToken],
      [['http://localhost', 'https://m.shop.example'], 10, 'required'],
    )

    await page.getByLabel('Wait for a missing consent').selectOption('off')
    await call(fixture.customer, 'PUT', `/tag/${tagId}`, { hold: 30 })
    await save.click()
    await inDialog(page).getByText('Someone else changed this').waitFor()
    await inDialog(page)
      .getByRole('row', { name: /Wait for a missing consent off 30/ })
      .waitFor()
    await inDialog(page).getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('Saved and live.').waitFor()
    assert.equal((await readTag(tagId)).hold, 'off')
    await close()
  })

  test('a person switches a source on, says what the SDK does before a consent, and makes, rotates and revokes a key', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    const { tagId, tagUrl } = fixture.customer
    const scopes = ['event:write', 'tag:read']
    const made = await call<{ applicationId: string }>(fixture.customer, 'POST', '/application', {
      name: 'Shop',
      scopes,
    })
    const { applicationId } = made.body
    await operate(fixture.aglet, 'application approve', fixture.customer.environment, { id: applicationId })
    await go(`${pathsOf(fixture).tag}/settings`)
    await page.getByLabel(/^Segment:/).check()
    await page.getByLabel('Before a consent').selectOption('none')
    await page.getByLabel(/^fbq:/).check()
    await page.getByLabel(/^dataLayer:/).check()
    await page.getByLabel('Send events of').selectOption('dataLayer')
    await page.getByText('Purposes, vendors and age').click()
    const advertising = page.getByRole('group', { name: 'Channels of advertising need' })
    await advertising.getByLabel(/^2 /).check()
    await page.getByLabel('Oldest string, in days').fill('180')
    await page.getByText('5 settings changed').waitFor()
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    await page.getByText('Saved and live.').waitFor()
    const saved = await readTag(tagId)
    assert.deepEqual([saved.sources, saved.captureBeforeConsent], [['segment'], 'none'])
    assert.deepEqual([saved.adapters, saved.primaryAdapter], [['dataLayer', 'fbq'], 'dataLayer'])
    assert.deepEqual(saved.tcf, { purposes: { advertising: [1, 2, 3, 4, 7] }, maxAgeDays: 180 })

    const sendWith = async (key: string) => {
      const message = { type: 'track', event: 'Signed Up', anonymousId: 'device-1', messageId: crypto.randomUUID() }
      const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`
      const body = JSON.stringify(message)
      return (await fetch(`${tagUrl}/v1/track`, { method: 'POST', headers: { authorization }, body })).status
    }
    /** Submits the dialog that creates a key; returns the shown key. */
    const create = async () => {
      await inDialog(page).getByRole('button', { name: 'New key' }).click()
      await inDialog(page).getByText('shown only once').waitFor()
      const key = (await inDialog(page).locator('.onceValue code').textContent())!
      await inDialog(page).getByRole('button', { name: 'Close', exact: true }).click()
      return key
    }
    await page.getByRole('button', { name: 'New key' }).click()
    await inDialog(page).getByLabel('Application').selectOption('Shop')
    const first = await create()
    assert.equal(await sendWith(first), 200)
    const keys = page.getByRole('table', { name: 'Keys of sources' })
    await keys.getByRole('button', { name: 'Rotate' }).click()
    const second = await create()
    assert.notEqual(second, first)
    assert.deepEqual([await sendWith(first), await sendWith(second)], [200, 200])
    const { body } = await call<{ applications: Application[] }>(fixture.customer, 'GET', '/application')
    const { tokens } = body.applications.find((each) => each.applicationId === applicationId)!
    assert.deepEqual(
      tokens.map(({ scopes }) => scopes),
      [['event:write'], ['event:write']],
    )
    await keys.getByRole('button', { name: 'Revoke' }).first().click()
    await inDialog(page).getByRole('button', { name: 'Revoke' }).click()
    await until(async () => (await keys.getByRole('button', { name: 'Rotate' }).count()) === 1)
    await until(async () => [await sendWith(first), await sendWith(second)].includes(401))
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a host name is added with its proof, and removed after a question', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/settings`)
    await page.getByRole('textbox', { name: 'Host name' }).fill('d.shop.example')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const host = page.locator('.host', { hasText: 'd.shop.example' })
    await host.getByText('no DNS record').waitFor()
    await host.getByText('DNS record', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove d.shop.example' }).click()
    await inDialog(page).getByRole('button', { name: 'Remove', exact: true }).click()
    await inDialog(page).waitFor({ state: 'detached' })
    assert.deepEqual((await readTag(fixture.customer.tagId)).hosts, [])
    await close()
  })

  test('a viewer sees the settings and can change none', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/settings`)
    await page.getByLabel('Domain').waitFor()
    assert.ok(await page.getByLabel('Domain').isDisabled())
    const remove = page.getByRole('button', { name: 'Delete the tag' })
    assert.match((await remove.getAttribute('title')) ?? '', /role editor/)
    await close()
  })

  test('a tag is made, and deleted by typing its name', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).team)
    await page.getByRole('link', { name: 'New tag' }).click()
    await page.getByLabel('Name').fill('Second shop')
    await page.getByLabel('Domain of the site').fill('second.example')
    await page.getByRole('button', { name: 'Create the tag' }).click()
    await page.getByRole('heading', { level: 1, name: /Second shop/ }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Tag settings' }).click()
    await page.getByRole('button', { name: 'Delete the tag' }).click()
    const sure = inDialog(page).getByRole('button', { name: 'Delete the tag' })
    assert.equal(await sure.getAttribute('aria-disabled'), 'true')
    await inDialog(page).getByRole('textbox').fill('Second shop')
    await sure.click()
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    await until(async () => (await page.getByText('Second shop').count()) === 0)
    await close()
  })
})

describe('the team', { skip: noChromium }, () => {
  test('an owner invites a person by a link that is shown once, changes a role, and removes the person', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/members`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await inDialog(page)
      .getByLabel(/Viewer/)
      .check()
    await inDialog(page).getByRole('button', { name: 'Create the link' }).click()
    const url = (await inDialog(page).locator('.onceValue code').textContent())!
    await inDialog(page).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('table', { name: 'Open invitations' }).getByText('Viewer').waitFor()
    assert.ok(!(await page.content()).includes(url))

    const person = {
      invitation: url,
      name: 'Nina New',
      email: 'nina@manage.shop.example',
      password: 'correct horse battery',
    }
    assert.equal((await call(fixture.customer, 'POST', '/person', person)).status, 200)
    await page.reload()
    await settled(page)
    await page.getByText('No open invitations').waitFor()
    await page.getByLabel('Role of Nina New').selectOption('editor')
    await inDialog(page).getByRole('button', { name: 'Change the role' }).click()
    await inDialog(page).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Role of Nina New').inputValue(), 'editor')
    await page
      .getByRole('row', { name: /Nina New/ })
      .getByRole('button', { name: 'Remove' })
      .click()
    await inDialog(page).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('nina@manage.shop.example').waitFor({ state: 'detached' })
    await close()
  })

  test('the last owner stays, and the dialog says so', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/members`)
    await page
      .getByRole('row', { name: /Jane Doe/ })
      .getByRole('button', { name: 'Leave' })
      .click()
    await inDialog(page).getByRole('button', { name: 'Leave the team' }).click()
    await inDialog(page).getByRole('alert').getByText(/owner/).waitFor()
    await close()
  })

  test('a viewer sees the people, and nothing to change', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).team}/members`)
    await page.getByText('Jane Doe').waitFor()
    assert.equal(await page.getByRole('combobox').count(), 0)
    assert.match((await page.getByRole('button', { name: 'Invite' }).getAttribute('title')) ?? '', /role owner/)
    await close()
  })

  test('an owner renames the team, and the frame shows it', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/settings`)
    await page.getByLabel('Name of the team').fill('Acme Shops')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.top summary').getByText('Acme Shops').waitFor()
    await close()
  })
})
