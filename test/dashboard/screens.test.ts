import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Journey } from '#contract/journey.ts'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@screens.shop.example'
const narrow = { viewport: { width: 390, height: 844 } }
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 24)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

/** The visual properties that all pages must share. */
const styleOf = (page: Page, card: string): Promise<string[]> =>
  page.evaluate(`(() => {
    const own = getComputedStyle(document.querySelector('${card}'))
    const { backgroundColor } = getComputedStyle(document.body)
    return [backgroundColor, own.backgroundColor, own.borderRadius, own.padding, own.borderColor, own.boxShadow]
  })()`)

describe('screens', { skip: noChromium }, () => {
  test('a delivery names its event: by id on a wide window, by name on a narrow one', async () => {
    for (const [look, isWide] of [
      [{}, true],
      [narrow, false],
    ] as const) {
      const { page, go, close } = await watch(browser, fixture.aglet.origin, owner, look)
      await go(`${pathsOf(fixture).tag}/deliveries?name=Search`)
      const row = page.locator('.list-deliveries .listRow').first()
      assert.equal(await row.locator('.cell-id').isVisible(), isWide)
      assert.ok(await row.locator('.cell-event').isVisible())
      assert.match(await row.innerText(), isWide ? /order-\d+/ : /Search/)
      await close()
    }
  })

  test('on a narrow window no date is cut off, and nothing makes a page wider', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner, narrow)
    const { tag, team } = pathsOf(fixture)
    for (const path of [`${tag}/replays`, `${tag}/deliveries?from=2026-01-01T00:00:00Z`, `${team}/audit`]) {
      await go(path)
      const widths = await page
        .locator('[type=datetime-local]')
        .evaluateAll((all) => all.map((each) => each.clientWidth))
      for (const width of widths.filter((each) => each > 0)) assert.ok(width >= 200, `${path}: ${width} px`)
      assert.deepEqual(await tooWide(page), [], path)
    }
    await close()
  })

  test('the changes of the audit are chosen by words', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).team}/audit`)
    const filter = page.getByRole('combobox', { name: 'What' })
    const words = await filter.locator('option').allInnerTexts()
    assert.deepEqual(
      words.filter((each) => /^[a-z]+[A-Z.]/.test(each)),
      [],
    )
    assert.equal(new Set(words).size, words.length)
    await filter.selectOption({ label: 'Change the tag settings' })
    await page.waitForURL(/what=updateTag/)
    await settled(page)
    const found = await page.locator('.cardCell-what').allInnerTexts()
    assert.ok(found.length > 0)
    assert.deepEqual(new Set(found), new Set(['Change the tag settings']))
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('an event shows the consent that was applied as answers, not as JSON', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/events/order-1017`)
    const step = page.locator('.timeline li', { hasText: 'sent with the event' })
    const text = await step.innerText()
    assert.match(text, /Advertising\s+refused\s+Analytics\s+agreed/)
    assert.doesNotMatch(text, /[{}"]/)
    await close()
  })

  test('an event tells why each channel got it or not, with the proof of the answer, on a wide and a narrow window', async () => {
    const { customer, aglet } = fixture
    const consentTexts = {
      ...{ banner: 'klaro', version: 3, textVersion: '2026-04', addtlConsent: `2~${'89.'.repeat(300)}~dv.` },
      tcf: 'CQSbk4AQSbk4ANwAAAENAwCgAAAAAAAAAAYgACPAAAAA.IDKQA4AAgAKAGQAygAAA.YAAAAAAAAAAA',
    }
    const refused = { consentCategories: { advertising: true, analytics: false }, consentTexts }
    const ids = ['why-much', 'why-none']
    await sendEvents(customer, [
      shopEvent(1, { eventId: ids[0], storage: { service: refused } }),
      { eventName: 'Search', eventId: ids[1], timestamp: Date.now() },
    ])
    for (const id of ids)
      await until(async () => {
        const { body } = await call<Partial<Journey>>(customer, 'GET', `/tag/${customer.tagId}/event/${id}`)
        return (body.deliveries ?? []).length > 0
      })
    for (const look of [{}, narrow]) {
      const { page, go, consoleErrors, close } = await watch(browser, aglet.origin, owner, look)
      await go(`${pathsOf(fixture).tag}/events/why-much`)
      const panel = page.locator('section', { hasText: 'Why it was sent, or not' }).last()
      const much = await panel.innerText()
      for (const shown of ['klaro', '2026-04', consentTexts.tcf, 'Refused: the visitor did not agree to this category'])
        assert.ok(much.includes(shown), shown)
      assert.deepEqual(await tooWide(page), [])
      await go(`${pathsOf(fixture).tag}/events/why-none`)
      const none = await panel.innerText()
      assert.match(none, /The visitor had given no answer/)
      assert.match(none, /Refused: the visitor had given no consent/)
      assert.deepEqual(consoleErrors, [])
      await close()
    }
  })

  test('all tags: also a tag far below tells the health of its channels once its row is in view', async () => {
    const { customer } = fixture
    for (let n = 0; n < 34; n++)
      await call(customer, 'POST', '/tag', { name: `Shop ${n}`, domain: `shop-${n}.example` })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).team)
    const row = page.getByRole('row', { name: /Shop 33/ })
    await row.scrollIntoViewIfNeeded()
    await row.getByText('No channel yet').waitFor()
    await close()
  })

  test('the pages without script and the manual look like the dashboard, in both themes', async () => {
    const styles: unknown[][] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, undefined, { colorScheme })
      await go(pathsOf(fixture).team)
      const expected = await styleOf(page, '.signInCard')
      styles.push(expected)
      for (const path of ['/v1/account/sign-in', '/sandbox/v1/account/link/used', '/v1/account/nowhere']) {
        await page.goto(fixture.aglet.origin + path)
        assert.deepEqual(await styleOf(page, 'main'), expected, path)
        assert.deepEqual(await violations(page), [], path)
      }
      for (const path of ['/', '/docs/manual', '/docs/consent', '/docs/events', '/docs/providers']) {
        await page.goto(fixture.aglet.origin + path)
        assert.equal((await styleOf(page, 'main'))[0], expected[0], path)
        await page.locator('.top .brand').waitFor()
      }
      assert.deepEqual(consoleErrors, [])
      await close()
    }
    assert.notDeepEqual(styles[0], styles[1])
  })
})
