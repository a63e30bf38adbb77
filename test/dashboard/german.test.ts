import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@german.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 6)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

/** The names of the scripts that the page loaded. */
const scriptsOf = (sent: readonly string[]) =>
  new Set(sent.flatMap((line) => /\/dashboard\/assets\/(main-\w+\.js)/.exec(line)?.[1] ?? []))

describe('the dashboard in German', { skip: noChromium }, () => {
  test('a browser that prefers German gets it, and the person can choose English on the own page', async () => {
    const watched = await watch(browser, fixture.aglet.origin, owner, { locale: 'de-DE' })
    const { page, go, consoleErrors, sent, close } = watched
    await go(pathsOf(fixture).tag)
    await page.getByRole('heading', { name: 'Wohin Ereignisse gingen' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    assert.equal(await page.title(), 'Übersicht · Aglet')
    assert.deepEqual(await violations(page), [])
    const german = scriptsOf(sent)

    await go('/dashboard/me')
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    const all = scriptsOf(sent)
    assert.deepEqual([german.size, all.size], [1, 2])

    await page.getByLabel('Language').selectOption('As the browser prefers')
    await page.getByRole('heading', { level: 1, name: 'Ihr Konto' }).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a browser that prefers English gets German once it is chosen, in both environments', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner, { locale: 'en-US' })
    await go('/dashboard/me')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { level: 1, name: 'Ihr Konto' }).waitFor()
    await go('/sandbox/dashboard')
    await page.getByText('Anmelden').first().waitFor()
    await close()
  })

  test('every page of a tag is whole in German: no text is a placeholder and no page is wider than 320 px', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, {
      locale: 'de-DE',
      viewport: { width: 320, height: 800 },
    })
    const { team, tag } = pathsOf(fixture)
    const ofTag = ['live', 'events', 'events/order-1004', 'deliveries', 'channels', `channels/${fixture.scripts.braze}`]
    const more = [
      'match-quality',
      'replays',
      'deployments',
      'playground',
      'consent',
      'plugins',
      'visitors',
      'install',
      'settings',
    ]
    const ofTeam = ['members', 'applications', 'hooks', 'alerts', 'policies', 'audit', 'settings']
    const paths = [
      tag,
      ...[...ofTag, ...more].map((each) => `${tag}/${each}`),
      ...ofTeam.map((each) => `${team}/${each}`),
    ]
    const wide: string[] = []
    for (const path of paths) {
      await go(path)
      wide.push(...(await tooWide(page)).map((element) => `${path}: ${element}`))
      const text = await page.locator('body').innerText()
      assert.doesNotMatch(text, /\bundefined\b|\[object/, path)
    }
    assert.deepEqual([wide, consoleErrors], [[], []])
    await close()
  })
})
