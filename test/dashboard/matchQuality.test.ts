import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { MatchQuality } from '#contract/matchQuality.ts'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@matchquality.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 24)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    const { tagId } = fixture.customer
    await until(async () => {
      const { body } = await call<MatchQuality>(fixture.customer, 'GET', `/tag/${tagId}/match-quality`)
      return body.channels.some(({ events }) => events > 3)
    })
  })
}

describe('match quality', { skip: noChromium }, () => {
  test('each channel tells its coverage, its keys by source, and what lowers it with an example that opens the event', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/match-quality`)
    await page.getByRole('heading', { level: 1, name: 'Match quality' }).waitFor()
    const panel = page.getByRole('region', { name: 'Meta' })
    assert.match(await panel.innerText(), /% of \d+ delivered events? had a strong key/)
    const keys = panel.getByRole('table', { name: 'Match keys of Meta' })
    assert.match(await keys.getByRole('row', { name: /^em / }).innerText(), /em\s+strong\s+\d+/)
    await panel.getByRole('button', { name: 'Ask the vendor' }).press('Enter')
    const rated = panel.getByRole('table', { name: 'The vendor’s own rating of Meta' })
    assert.match(await rated.getByRole('row', { name: /^Purchase/ }).innerText(), /7\.2 of 10\s+84\.5%/)
    assert.equal(await panel.getByRole('button', { name: 'Ask the vendor' }).count(), 0)
    assert.deepEqual(await violations(page), [])
    const example = panel.getByRole('link', { name: 'Show an example' }).first()
    await example.press('Enter')
    await page.waitForURL(/\/events\//)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('the figures of one event name are chosen, and stand in the address', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/match-quality`)
    await page.getByRole('combobox', { name: 'Event' }).selectOption('Purchase')
    await page.waitForURL(/name=Purchase/)
    await page
      .getByText(/of 3 delivered events/)
      .first()
      .waitFor()
    await close()
  })

  test('narrow, dark and in German nothing is cut off; a tag without channels says what to do', async () => {
    const options = { locale: 'de-DE', viewport: { width: 320, height: 800 }, colorScheme: 'dark' } as const
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, options)
    await go(`${pathsOf(fixture).tag}/match-quality`)
    await page.getByRole('heading', { level: 1, name: 'Zuordnung' }).waitFor()
    assert.deepEqual(await tooWide(page), [])
    assert.deepEqual(await violations(page), [])
    const text = await page.locator('main').innerText()
    assert.doesNotMatch(text, /\bundefined\b|\[object/)
    const { body } = await call<{ tagId: string }>(fixture.customer, 'POST', '/tag', {
      name: 'Empty',
      domain: 'e.example',
    })
    await go(`${pathsOf(fixture).team}/tags/${body.tagId}/match-quality`)
    await page.getByText('Kein Kanal hat Schlüssel zur Zuordnung').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
