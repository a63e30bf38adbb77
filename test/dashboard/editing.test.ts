import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { SealingKey } from '#contract/me.ts'
import type { Script } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { call, makeScript, sinkAt, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const [jane, john] = ['jane@editing.shop.example', 'john@editing.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 12)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: jane, role: 'owner' })
    await addPerson(fixture.customer, { name: 'John Roe', email: john, role: 'editor' })
  })
}

const readScript = async (scriptId: string) => (await call<Script>(fixture.customer, 'GET', `/script/${scriptId}`)).body

const save = (page: Page) => page.getByRole('button', { name: 'Save and deploy' }).click()

/** Two people edit the settings of the same channel; the first one saves a name. */
async function openTwice(name: string) {
  const scriptId = await makeScript(fixture.customer, 'eventSink', name, sinkAt('https://sink.example.com/in'))
  const path = `${pathsOf(fixture).tag}/channels/${scriptId}/edit`
  const first = await watch(browser, fixture.aglet.origin, jane)
  const second = await watch(browser, fixture.aglet.origin, john)
  await first.go(path)
  await second.go(path)
  await first.page.fill('[name=name]', `${name} of Jane`)
  await save(first.page)
  await first.page.getByRole('heading', { level: 1, name: `${name} of Jane` }).waitFor()
  await second.page.fill('[name=name]', `${name} of John`)
  await second.page.getByLabel('As text').fill('DE')
  await save(second.page)
  const dialog = second.page.getByRole('dialog', { name: 'Someone else changed this channel' })
  await dialog.waitFor()
  return { scriptId, dialog, page: second.page, close: () => Promise.all([first.close(), second.close()]) }
}

describe('two people edit one channel', { skip: noChromium }, () => {
  test('the second one sees both versions of what differs, and nothing is saved', async () => {
    const { scriptId, dialog, page, close } = await openTwice('First')
    await dialog.getByRole('row', { name: 'Name First of John First of Jane' }).waitFor()
    await dialog.getByRole('row', { name: 'Regions DE –' }).waitFor()
    assert.equal((await readScript(scriptId)).name, 'First of Jane')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await page.inputValue('[name=name]'), 'First of John')
    await close()
  })

  test('the second one can save over it', async () => {
    const { scriptId, dialog, page, close } = await openTwice('Second')
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByRole('heading', { level: 1, name: 'Second of John' }).waitFor()
    const { name, geoRegions } = await readScript(scriptId)
    assert.deepEqual([name, geoRegions], ['Second of John', 'DE'])
    await close()
  })

  test('the second one can take what is saved', async () => {
    const { dialog, page, close } = await openTwice('Third')
    page.on('dialog', (question) => void question.accept())
    await dialog.getByRole('button', { name: 'Load theirs' }).click()
    await page.locator('[name=name]').waitFor()
    await until(async () => (await page.inputValue('[name=name]')) === 'Third of Jane')
    await close()
  })
})

describe('without WebCrypto', { skip: noChromium }, () => {
  test('the page gives the command that seals, refuses another text, and takes its output', async () => {
    const { page, go, sent, close } = await watch(browser, fixture.aglet.origin, jane)
    await page.addInitScript("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    await go(`${pathsOf(fixture).tag}/channels/new/eventSink`)
    const field = page.locator('textarea[name=EVENT_SINK_URL]')
    await page.getByText('--variable EVENT_SINK_URL').waitFor()
    await page.fill('[name=name]', 'Sealed elsewhere')
    await field.fill('{"variable": "OTHER"}')
    await page.getByText('This is not a sealed entry for this field.').waitFor()
    await save(page)
    await page.getByText('Check 1 field.').waitFor()
    assert.ok(!sent.some((line) => line.startsWith('POST') && line.includes('/v1/script')))
    const { environment, teamId } = fixture.customer
    const { encryptionKey: key } = (await call<{ encryptionKey: SealingKey }>(fixture.customer, 'GET', '/me')).body
    const about = { environment, teamId, providerId: 'eventSink', variable: 'EVENT_SINK_URL', type: 'TEXT' } as const
    await field.fill(JSON.stringify(await sealEntry({ ...about, plaintext: 'https://sink.example.com/in', key })))
    await save(page)
    await page.getByRole('heading', { level: 1, name: 'Sealed elsewhere' }).waitFor()
    const scriptId = page.url().split('/').at(-1)!
    assert.equal((await readScript(scriptId)).secrets?.EVENT_SINK_URL?.isSet, true)
    await close()
  })
})

describe('alternative credentials', { skip: noChromium }, () => {
  test('the fields of the chosen alternative alone are asked for, and saved', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, jane)
    await go(`${pathsOf(fixture).tag}/channels/new/tradeDesk`)
    const [first, second] = [page.locator('[name=TRADE_DESK_TRACKER_ID]'), page.locator('[name=TRADE_DESK_PIXEL_ID]')]
    await first.waitFor()
    assert.equal(await second.count(), 0)
    await save(page)
    await page.getByText(/^Check \d fields?\.$/).waitFor()
    await page.getByRole('group', { name: 'Credentials: one of these' }).getByRole('radio').nth(1).check()
    await second.waitFor()
    assert.equal(await first.count(), 0)
    await page.keyboard.press('Tab')
    await close()
    assert.deepEqual(consoleErrors, [])
  })
})

describe('an event', { skip: noChromium }, () => {
  test('is tried with today’s settings: what was left out then would be sent now, and nothing is sent', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, jane)
    await go(`${pathsOf(fixture).tag}/events/order-1004`)
    await page.getByText('Not sent: the channel sends only US,CA', { exact: false }).waitFor()
    const { tagId } = fixture.customer
    const everywhere = { name: 'TikTok', providerId: 'tiktok', tagId, shouldDeploy: true }
    const saved = await call(fixture.customer, 'PUT', `/script/${fixture.scripts.tiktok}`, everywhere)
    assert.equal(saved.status, 200)
    const last = fixture.vendors.received.at(-1)
    await page.getByRole('button', { name: 'Try today’s settings' }).click()
    const tried = page.getByRole('dialog').locator('.tried', { hasText: 'TikTok' })
    await tried.getByText('not sent: region').waitFor()
    await tried.getByText('would be sent').waitFor()
    await tried.getByText(/POST https:/).waitFor()
    assert.equal(fixture.vendors.received.at(-1), last)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('is found by a jump to its time, also from the keyboard, and the way back is there', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, jane)
    await go(`${pathsOf(fixture).tag}/events`)
    await page.locator('.listRow').first().waitFor()
    const menu = page.locator('summary', { hasText: 'Jump to time' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'An hour ago' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('No event matches these filters').waitFor()
    assert.match(new URL(page.url()).searchParams.get('to') ?? '', /^\d{4}-\d\d-\d\dT/)
    await page.locator('summary', { hasText: 'Until' }).click()
    await page.getByRole('button', { name: 'Back to now' }).click()
    await settled(page)
    await page.locator('.listRow').first().waitFor()
    assert.equal(new URL(page.url()).searchParams.get('to'), null)
    await close()
  })
})
