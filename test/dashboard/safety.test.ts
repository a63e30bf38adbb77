import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import {
  addPerson,
  canary,
  type DashboardFixture,
  fillFixture,
  password,
  sendEvents,
  shopEvent,
} from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@safety.shop.example'
const viewer = 'vic@safety.shop.example'
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

/** Every file below a folder whose bytes contain the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text))
}

describe('the dashboard in a browser', { skip: noChromium }, () => {
  test('a secret that is typed is in no request, address, storage, console or file', async () => {
    const typed = 'typed-canary-77af'
    const { page, go, ...watched } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/new/facebook`)
    await page.fill('[name=FACEBOOK_PIXEL_ID]', '1234567890')
    await page.fill('[name=FACEBOOK_ACCESS_TOKEN]', typed)
    await page.fill('[name=name]', 'Second Meta')
    await page.click('button[type=submit]')
    await page.waitForURL(/\/channels\/scr_/)
    await settled(page)
    const storage = await page.evaluate<string>(
      'JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + location.href',
    )
    const places = {
      sent: watched.sent.join('\n'),
      lines: watched.lines.join('\n'),
      storage,
      page: await page.content(),
    }
    for (const secret of [typed, canary, password])
      for (const [name, text] of Object.entries(places)) assert.ok(!text.includes(secret), `${secret} is in ${name}`)
    assert.deepEqual(filesWith(fixture.aglet.data, typed), [])
    assert.deepEqual([watched.consoleErrors, watched.strangers], [[], []])
    await watched.close()
  })

  test('HTML in an event is shown as text', async () => {
    const evil = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
    await sendEvents(fixture.customer, [
      shopEvent(9_000, { eventName: evil.slice(0, 60), eventId: 'evil-1', pageTitle: evil }),
    ])
    const { page, go, ...watched } = await watch(browser, fixture.aglet.origin, owner)
    const path = `${pathsOf(fixture).tag}/events/evil-1`
    await until(async () => {
      await go(path)
      return (await page.textContent('h1'))?.startsWith('<img') ?? false
    })
    await page.waitForSelector(`text=${evil.slice(0, 20)}`)
    assert.equal(await page.evaluate('window.ran'), undefined)
    assert.deepEqual([watched.consoleErrors, watched.strangers], [[], []])
    await watched.close()
  })

  test('a session that ends leaves the form as it is: after sign-in it goes on', async () => {
    const { page, go, context, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/new/plausible`)
    await page.fill('[name=name]', 'Kept name')
    const cookies = await context.cookies()
    await context.clearCookies()
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.fill('[name=PLAUSIBLE_DOMAIN]', 'shop.example').catch(() => undefined)
    await page.click('button[type=submit]')
    await page.waitForSelector('dialog[open] input[name=password]')
    assert.ok(cookies.length > 0)
    await page.fill('dialog input[name=email]', owner)
    await page.fill('dialog input[name=password]', password)
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    assert.equal(await page.inputValue('[name=name]'), 'Kept name')
    await close()
  })

  test('without a network the page says so, and shows what it has', async () => {
    const { page, go, context, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/events`)
    await context.setOffline(true)
    await page.waitForSelector('.offline')
    assert.ok((await page.locator('.listRow').count()) > 0)
    await context.setOffline(false)
    await page.waitForSelector('.offline', { state: 'detached' })
    await close()
  })

  test('who may not sees the control disabled, with the role that it needs', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/channels/${fixture.scripts.meta}`)
    const pause = page.getByRole('button', { name: 'Pause' })
    assert.equal(await pause.getAttribute('aria-disabled'), 'true')
    assert.match((await pause.getAttribute('title')) ?? '', /role editor; yours is viewer/)
    await close()
  })

  test('a team of another, a deleted tag and an unknown page say so', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go('/dashboard/team_00000000000000000000000000')
    await page.waitForSelector('text=Not your team')
    await go(`${pathsOf(fixture).team}/tags/tag_none`)
    await page.waitForSelector('text=does not exist, or was deleted')
    await go(`${pathsOf(fixture).tag}/events/never-there`)
    await page.waitForSelector('text=No such event')
    await close()
  })
})
