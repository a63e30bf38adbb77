import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { makeCustomer } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const people = {
  owner: 'jane@pages.shop.example',
  viewer: 'vic@pages.shop.example',
  newcomer: 'new@pages.shop.example',
}
let fixture: DashboardFixture
let empty: Pick<DashboardFixture, 'customer'>
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 60)
    empty = { customer: await makeCustomer(aglet, 'new-shop.example') }
    await addPerson(fixture.customer, { name: 'Jane Doe', email: people.owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: people.viewer, role: 'viewer' })
    await addPerson(empty.customer, { name: 'New Owner', email: people.newcomer, role: 'owner' })
  })
}

/** Every address of the table, with its parameters filled in. */
function addresses({
  customer,
  scripts = {},
}: Partial<DashboardFixture> & Pick<DashboardFixture, 'customer'>): string[] {
  const { team, tag } = pathsOf({ customer })
  const { braze, meta } = scripts
  const own = braze ? [`${tag}/channels/${braze}`, `${tag}/channels/${meta}/edit`, `${tag}/events/order-1004`] : []
  const lists = [
    '',
    '/live',
    '/events',
    '/deliveries',
    '/channels',
    '/channels/new',
    '/channels/new/facebook',
    '/install',
  ]
  return [team, ...lists.map((path) => tag + path), ...own, `${tag}/events?name=Nothing`, `${tag}/nowhere`]
}

type Visit = { as: keyof typeof people; colorScheme: 'light' | 'dark'; width: number }
const visits: Visit[] = [
  { as: 'owner', colorScheme: 'light', width: 1440 },
  { as: 'owner', colorScheme: 'dark', width: 390 },
  { as: 'viewer', colorScheme: 'dark', width: 1440 },
  { as: 'newcomer', colorScheme: 'light', width: 390 },
]

describe('every page', { skip: noChromium }, () => {
  for (const { as, colorScheme, width } of visits)
    test(`is accessible, calls no stranger and breaks no policy, for ${as}, ${colorScheme}, at ${width} px`, async () => {
      const options = { colorScheme, viewport: { width, height: 900 } }
      const { page, go, consoleErrors, strangers, close } = await watch(
        browser,
        fixture.aglet.origin,
        people[as],
        options,
      )
      const found: string[] = []
      for (const path of addresses(as === 'newcomer' ? empty : fixture)) {
        await go(path)
        found.push(...(await violations(page)).map((each) => `${path} ${each}`))
      }
      assert.deepEqual([found, consoleErrors, strangers], [[], [], []])
      await close()
    })

  test('fits 320 px without sideways scroll, with a long name and right-to-left text', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, people.owner, {
      viewport: { width: 320, height: 640 },
    })
    for (const path of [...addresses(fixture), `${pathsOf(fixture).tag}/channels/${fixture.scripts.long}`]) {
      await go(path)
      const over = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.ok(over <= 0, `${path} is ${over} px too wide`)
    }
    await close()
  })

  test('has a title, one h1, and the focus on it after a navigation', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, people.owner)
    await go(pathsOf(fixture).tag)
    await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await settled(page)
    assert.equal(await page.locator('h1').count(), 1)
    await page.locator('h1:focus').waitFor()
    assert.equal(await page.title(), 'Channels · Aglet')
    await close()
  })

  test('shows an error of one panel, and the others stay', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, people.owner)
    const refused = { message: 'An internal error occurred.', error: 'INTERNAL', statusCode: 500 }
    await page.route(/\/funnel/, (route) => route.fulfill({ status: 400, json: refused }))
    await go(pathsOf(fixture).tag)
    await page.getByRole('alert').getByText('INTERNAL').waitFor()
    await page.getByText('Deliveries by outcome').waitFor()
    await page.unroute(/\/funnel/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Accepted' }).waitFor()
    await close()
  })

  test('first view makes at most six calls; the draft and the deployments that charts mark are read later', async () => {
    const { page, sent, close } = await watch(browser, fixture.aglet.origin, people.owner)
    sent.length = 0
    const marksAreRead = page.waitForResponse(/\/deployment\?/)
    await page.goto(fixture.aglet.origin + pathsOf(fixture).tag)
    await settled(page)
    await marksAreRead
    // The draft is read after a delay; on a slow machine before the deployments.
    const calls = sent.filter((line) => line.includes('/v1/') && !line.includes('/draft'))
    const marks = calls.findIndex((line) => line.includes('/deployment?'))
    assert.ok(marks >= 0 && marks <= 6, calls.join('\n'))
    await close()
  })
})

describe('long lists', { skip: noChromium }, () => {
  test('100,000 rows are scrolled with at most 60 row nodes, and j moves over them', async () => {
    const { page, close } = await watch(browser, fixture.aglet.origin, people.owner)
    const rows = (from: number) =>
      Array.from({ length: 1_000 }, (_, n) => ({
        eventId: `e-${from + n}`,
        eventName: 'PageView',
        userId: 'u',
        receivedAt: 1_795_400_000_000 - from - n,
        counts: { delivered: 3 },
      }))
    await page.route(/\/event\?/, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      return route.fulfill({ json: { events: rows(from), ...(from < 99_000 && { next: `${from + 1_000}` }) } })
    })
    await page.goto(`${fixture.aglet.origin}${pathsOf(fixture).tag}/events`)
    await settled(page)
    for (let turn = 0; turn < 8; turn++) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await page.evaluate('new Promise(requestAnimationFrame)')
      assert.ok((await page.locator('.listRow').count()) <= 60)
    }
    await page.evaluate('scrollTo(0, 0)')
    await page.locator('[aria-rowindex="2"]').waitFor()
    await page.keyboard.press('j')
    await page.locator('[aria-rowindex="2"] a:focus').waitFor()
    await page.keyboard.press('j')
    await page.locator('[aria-rowindex="3"] a:focus').waitFor()
    await close()
  })
})
