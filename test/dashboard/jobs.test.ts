import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { call, freePort, makeScript, program, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import {
  addPerson,
  type DashboardFixture,
  fillFixture,
  password,
  secretsOf,
  sendEvents,
  shopEvent,
} from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'
import { keyboard, mouse } from '../fake/hands.ts'

const owner = 'jane@jobs.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 30)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

/** Starts Aglet for the first time and returns the link that it prints for the operator. */
async function firstStart() {
  const data = mkdtempSync(join(tmpdir(), 'aglet-dashboard-first-'))
  const words = [program, 'serve', '--port', `${await freePort()}`, '--data', data]
  const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const link = () => /https?:\/\/\S+\/account\/link\/\S+/.exec(printed)?.[0]
  await until(() => link() !== undefined, 100_000)
  after(async () => {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
    rmSync(data, { recursive: true, force: true })
  })
  return { link: link()!, origin: new URL(link()!).origin }
}

const ways = [
  ['mouse', mouse],
  ['keyboard', keyboard],
] as const

for (const [name, hands] of ways)
  describe(`by ${name}`, { skip: noChromium }, () => {
    test('a channel is added: provider, form, save, and it is there', async () => {
      const { page, go, consoleErrors, strangers, close } = await watch(browser, fixture.aglet.origin, owner)
      await go(pathsOf(fixture).tag)
      await hands.visit(page, 'Channels')
      await settled(page)
      await hands.press(page.getByRole('link', { name: 'Add a channel' }))
      await page.getByRole('searchbox', { name: 'Search providers' }).waitFor()
      await hands.press(page.getByRole('link', { name: /^P? ?Plausible/ }))
      await page.getByRole('heading', { name: 'Add Plausible' }).waitFor()
      await hands.type(page.locator('.channelForm input[type=text]').first(), 'shop.example')
      await hands.type(page.locator('[name=name]'), `Plausible by ${name}`)
      await hands.press(page.getByRole('button', { name: 'Save and deploy' }))
      await page.getByRole('heading', { level: 1, name: `Plausible by ${name}` }).waitFor()
      await page.getByText('quiet', { exact: true }).waitFor()
      assert.deepEqual([consoleErrors, strangers], [[], []])
      await close()
    })

    test('why an event did not arrive: its id in the palette leads to the sentence and the setting', async () => {
      const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
      await go(pathsOf(fixture).tag)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
      await page.keyboard.type('order-1004')
      await page.getByRole('option', { name: 'Open event order-1004' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Not sent: the channel sends only US,CA', { exact: false }).waitFor()
      await hands.press(page.getByRole('link', { name: 'Change regions' }))
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      assert.equal(await page.inputValue('[name=geoRegions]'), 'US,CA')
      assert.deepEqual(consoleErrors, [])
      await close()
    })
  })

/** A separate channel whose key the vendor rejects, so that each test can fix one. */
async function makeFailing(name: string): Promise<void> {
  const { customer } = fixture
  await makeScript(customer, 'braze', name, secretsOf('braze', { BRAZE_API_KEY: 'bad-key' }))
  const first = Date.now() % 1_000_000_000
  await sendEvents(
    customer,
    Array.from({ length: 6 }, (_, n) => shopEvent(first + n)),
  )
  await until(async () => {
    const { body } = await call<{ channels: { name: string; state: string; waiting: number }[] }>(
      customer,
      'GET',
      `/tag/${customer.tagId}/channel`,
    )
    return body.channels.some((each) => each.name === name && each.state === 'keyRejected' && each.waiting > 0)
  })
}

for (const [way, hands] of ways)
  describe(`a failing channel, by ${way}`, { skip: noChromium }, () => {
    test('is mended from the overview: replace the key, resume, and nothing waits', async () => {
      const name = `Braze by ${way}`
      await makeFailing(name)
      const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
      await go(pathsOf(fixture).tag)
      const notice = page.getByRole('listitem').filter({ hasText: `${name}: key rejected` })
      await hands.press(notice.getByRole('link', { name: 'Replace the key' }))
      await page.getByRole('heading', { level: 1, name: 'Replace the key' }).waitFor()
      await hands.type(page.locator('[name=BRAZE_API_KEY]'), 'a-good-key')
      await hands.press(page.getByRole('button', { name: 'Try and save' }))
      await page.getByRole('heading', { level: 1, name }).waitFor()
      const resume = page.getByRole('button', { name: 'Resume' })
      if (await resume.isVisible()) await hands.press(resume)
      await page.getByText('OK', { exact: true }).waitFor()
      await page
        .locator('.facts div', { hasText: /^Waiting\s*0$/ })
        .first()
        .waitFor()
      assert.deepEqual(consoleErrors, [])
      await close()
    })

    test('deliveries are sent again: the dry run says what is left out, and starting it ends', async () => {
      const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
      const dialog = page.getByRole('dialog')
      await go(`${pathsOf(fixture).tag}/deliveries?status=skipped`)
      await hands.press(page.getByRole('button', { name: 'Send again…' }))
      await hands.press(dialog.getByRole('button', { name: 'Count' }))
      await dialog.getByText('Nothing would be sent.').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      await go(`${pathsOf(fixture).tag}/deliveries?status=delivered&name=Search&channel=${fixture.scripts.ga}`)
      await hands.press(page.getByRole('button', { name: 'Send again…' }))
      await hands.press(dialog.getByRole('button', { name: 'Count' }))
      await dialog.getByRole('table').waitFor()
      await hands.press(dialog.getByRole('button', { name: /^Send \d+ deliver(y|ies) again$/ }))
      await dialog.getByText('done', { exact: true }).waitFor()
      await hands.press(dialog.getByRole('button', { name: 'Close' }).last())
      await dialog.waitFor({ state: 'detached' })

      await go(`${pathsOf(fixture).tag}/replays`)
      await hands.press(page.getByRole('table', { name: 'Replays' }).getByRole('link').first())
      await page.getByRole('heading', { level: 1, name: /^Replay of/ }).waitFor()
      assert.deepEqual(consoleErrors, [])
      await close()
    })

    test('who signs in sends a test event from Install and sees it delivered', async () => {
      const { page, consoleErrors, close } = await watch(browser, fixture.aglet.origin)
      await page.goto(fixture.aglet.origin + pathsOf(fixture).tag)
      await hands.type(page.getByLabel('E-mail'), owner)
      await hands.type(page.getByLabel('Password'), password)
      await hands.press(page.getByRole('button', { name: 'Sign in' }))
      await page.getByRole('navigation').getByRole('link', { name: 'Install' }).waitFor()
      await settled(page)
      await hands.visit(page, 'Install')
      await page.getByText(/Before a consent this tag stores and sends nothing/).waitFor()
      await page.getByText(/aglet\('consent', { all: true }\)/).waitFor()
      await hands.press(page.getByRole('button', { name: 'Send test event' }))
      await page.locator('.tried').getByText('delivered', { exact: true }).first().waitFor()
      assert.deepEqual(consoleErrors, [])
      await close()
    })
  })

describe('the live view', { skip: noChromium }, () => {
  test('shows events with what becomes of them, and a refused call, whose origin is allowed from there', async () => {
    const { page, go, context, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/live`)
    const second = await context.newPage()
    await second.goto(page.url())
    for (const tab of [page, second]) await tab.getByText('watching').waitFor()
    await sendEvents(fixture.customer, [shopEvent(7_001, { eventName: 'Lead' })])
    for (const tab of [page, second]) await tab.locator('.listRow', { hasText: 'Lead' }).waitFor()
    await page
      .locator('.listRow', { hasText: 'Lead' })
      .getByText(/\d delivered/)
      .waitFor()
    const refused = sendEvents(fixture.customer, [shopEvent(7_002)], { origin: 'https://m.shop.example' })
    await assert.rejects(refused, /ORIGIN_REFUSED/)
    await page.getByRole('button', { name: 'Allow it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Allow it' }).click()
    await page.getByText('Allowed', { exact: true }).waitFor()
    await until(async () => {
      const again = sendEvents(fixture.customer, [shopEvent(7_003)], { origin: 'https://m.shop.example' })
      return again.then(() => true).catch(() => false)
    })
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})

describe('the first run', { skip: noChromium }, () => {
  test('the printed link leads to the first delivered event in at most four clicks', async () => {
    const { link, origin } = await firstStart()
    const begun = Date.now()
    const { page, consoleErrors, strangers, close } = await watch(browser, origin)
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/dashboard\//)
    await settled(page)
    await page.getByRole('navigation').getByRole('link', { name: 'Install' }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('delivered', { exact: true }).first().waitFor()
    assert.ok(Date.now() - begun < 120_000)
    assert.deepEqual([consoleErrors, strangers], [[], []])
    await close()
  })
})
