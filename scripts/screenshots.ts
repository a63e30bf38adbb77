/**
 * Photographs every page and state of the dashboard: npm run screenshots [-- --to folder] [-- --only overview,event]. It
 * starts a server with the fake vendors, fills it with a day of events, and writes PNG files at 1440 and 390 px, light and
 * dark, to look at.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { seedJournal } from '../bench/seed.ts'
import { freePort, makeCustomer, startAglet, stopAglet } from '../test/fake/aglet.ts'
import { noChromium, openBrowser } from '../test/fake/browser.ts'
import {
  addPerson,
  type DashboardFixture,
  fillTag,
  makeFixture,
  sendEvents,
  shopEvent,
  vendorEnvironment,
} from '../test/fake/dashboard.ts'
import { pathsOf, settled, type Watched, watch } from '../test/fake/dashboardBrowser.ts'
import { openVendors } from '../test/vendors/server.ts'

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(tmpdir(), 'aglet-screenshots') },
    /** The names of the pictures to make, or what they begin with. */
    only: { type: 'string', default: '' },
  },
})
const [owner, viewer, newcomer] = ['jane@shop.example', 'vic@shop.example', 'new@shop.example']

/** One picture: who looks at which address, and what is done before it is taken. */
type Shot = {
  name: string
  path: string
  as?: string | undefined
  before?: (page: Page) => Promise<unknown>
  /** The whole page, not only what is in view. */
  isWhole?: boolean
}

const press = (key: string) => (page: Page) => page.keyboard.press(key)
const click = (role: 'button' | 'link', name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name }).first().click()
const refuse = (path: RegExp) => (page: Page) =>
  page.route(path, (route) =>
    route.fulfill({
      status: 400,
      json: { message: 'An internal error occurred.', error: 'INTERNAL', statusCode: 400 },
    }),
  )

/** The live view after twelve events and a refused call. */
const liveShot = (fixture: DashboardFixture, tag: string): Shot => ({
  name: 'live',
  path: `${tag}/live`,
  async before(page) {
    await page.getByText('watching').waitFor()
    const first = Date.now() % 100_000_000
    await sendEvents(
      fixture.customer,
      Array.from({ length: 12 }, (_, n) => shopEvent(first + n)),
    )
    await sendEvents(fixture.customer, [shopEvent(1)], { origin: 'https://m.shop.example' }).catch(() => undefined)
    await page.getByRole('button', { name: 'Allow it' }).first().waitFor()
  },
})

/** Pages with data, and the dialogs over them. */
function shotsWithData(fixture: DashboardFixture): Shot[] {
  const { team, tag } = pathsOf(fixture)
  const { braze, meta, long } = fixture.scripts
  return [
    { name: 'team', path: team },
    { name: 'overview', path: tag, isWhole: true },
    { name: 'overview-day', path: `${tag}?range=24h&compare=on`, isWhole: true },
    { name: 'overview-viewer', path: tag, as: viewer },
    liveShot(fixture, tag),
    { name: 'events', path: `${tag}/events` },
    { name: 'events-filtered', path: `${tag}/events?status=refused,dead&name=Purchase&http=400` },
    { name: 'event', path: `${tag}/events/order-1004`, isWhole: true },
    {
      name: 'event-today',
      path: `${tag}/events/order-1004`,
      async before(page) {
        await click('button', 'Try today’s settings')(page)
        await page.locator('dialog .tried').first().waitFor()
      },
    },
    {
      name: 'events-jump',
      path: `${tag}/events`,
      before: (page) => page.locator('summary', { hasText: 'Jump to time' }).click(),
    },
    { name: 'event-refused', path: `${tag}/events/order-1017` },
    { name: 'deliveries', path: `${tag}/deliveries` },
    { name: 'deliveries-again', path: `${tag}/deliveries?status=dead`, before: click('button', 'Send again…') },
    { name: 'channels', path: `${tag}/channels` },
    { name: 'channels-new', path: `${tag}/channels/new` },
    { name: 'channel-form', path: `${tag}/channels/new/facebook`, isWhole: true },
    { name: 'channel-alternatives', path: `${tag}/channels/new/twitter` },
    { name: 'channel-edit', path: `${tag}/channels/${meta}/edit` },
    {
      name: 'channel-preview',
      path: `${tag}/channels/${meta}/edit`,
      isWhole: true,
      before: async (page) => {
        await click('button', 'Preview')(page)
        await page.locator('.tried').waitFor()
      },
    },
    { name: 'channel-failing', path: `${tag}/channels/${braze}` },
    { name: 'channel-long-name', path: `${tag}/channels/${long}` },
    { name: 'channel-delete', path: `${tag}/channels/${long}`, before: click('button', 'Delete') },
    { name: 'channel-viewer', path: `${tag}/channels/${braze}`, as: viewer },
    { name: 'install', path: `${tag}/install`, isWhole: true },
    { name: 'palette', path: tag, before: press('Control+k') },
    { name: 'keys', path: tag, before: press('?') },
    { name: 'menu', path: tag, before: (page) => page.locator('.menu.person > summary').click() },
  ]
}

/** Pages without data, and pages that cannot be shown. */
function otherShots(fixture: DashboardFixture, empty: Pick<DashboardFixture, 'customer'>): Shot[] {
  const { team, tag } = pathsOf(fixture)
  const none = pathsOf(empty).tag
  return [
    { name: 'sign-in', path: team, as: undefined },
    { name: 'sign-in-sandbox', path: team.replace('/dashboard', '/sandbox/dashboard'), as: undefined },
    { name: 'overview-empty', path: none, as: newcomer, isWhole: true },
    { name: 'live-empty', path: `${none}/live`, as: newcomer },
    { name: 'events-empty', path: `${none}/events`, as: newcomer },
    { name: 'channels-empty', path: `${none}/channels`, as: newcomer },
    { name: 'install-empty', path: `${none}/install`, as: newcomer },
    { name: 'events-no-match', path: `${tag}/events?name=Nothing` },
    { name: 'event-unknown', path: `${tag}/events/never-there` },
    {
      name: 'error',
      path: `${team}`,
      async before(page) {
        await refuse(/\/v1\/tag\/[^/]+\/(event|funnel)/)(page)
        await page.goto(aglet.origin + tag)
        await page.getByRole('alert').first().waitFor()
      },
      isWhole: true,
    },
    { name: 'offline', path: `${tag}/events`, before: (page) => page.context().setOffline(true) },
    {
      name: 'signed-out',
      path: `${tag}/channels`,
      async before(page) {
        await page.context().clearCookies()
        await page.getByRole('combobox').first().selectOption('7d')
        await page.locator('dialog[open]').waitFor()
      },
    },
    { name: 'not-your-team', path: '/dashboard/team_00000000000000000000000000' },
    { name: 'unknown-page', path: `${tag}/nowhere` },
  ]
}

const looks = [
  { viewport: { width: 1440, height: 900 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
].flatMap((size) => (['light', 'dark'] as const).map((colorScheme) => ({ ...size, colorScheme })))

/** Takes one picture once nothing is loading, and leaves the browser as it was. */
async function photograph({ page, context, go }: Watched, { name, path, before, isWhole }: Shot, file: string) {
  await go(path)
  await before?.(page)
  if (!before) await settled(page)
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
  await page.screenshot({ path: join(values.to, `${name}-${file}.png`), fullPage: isWhole === true })
  await page.unrouteAll()
  await context.setOffline(false)
}

if (noChromium) process.exit(1)
const vendors = await openVendors()
const data = mkdtempSync(join(tmpdir(), 'aglet-screenshots-data-'))
const options = { data, port: await freePort(), environment: vendorEnvironment(vendors) }
let aglet = await startAglet(options)
const browser = await openBrowser()
try {
  const fixture = await makeFixture(aglet, vendors)
  const empty = { customer: await makeCustomer(aglet, 'new-shop.example') }
  await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  await addPerson(empty.customer, { name: 'New Owner', email: newcomer, role: 'owner' })
  await stopAglet(aglet)
  const seeded = { tagId: fixture.customer.tagId, scriptIds: Object.values(fixture.scripts) }
  await seedJournal(data, seeded, 6_000, {
    eventsPerRecord: 2,
    shape: (part) => part + Math.sin(part * 4 * Math.PI) / 24,
  })
  aglet = await startAglet(options)
  await fillTag(fixture.customer, 120)
  mkdirSync(values.to, { recursive: true })
  const only = values.only.split(',').filter(Boolean)
  const shots = [...shotsWithData(fixture), ...otherShots(fixture, empty)].filter(
    ({ name }) => only.length === 0 || only.some((start) => name.startsWith(start)),
  )
  const emailOf = (shot: Shot) => ('as' in shot ? shot.as : owner)
  for (const look of looks)
    for (const email of [undefined, owner, viewer, newcomer]) {
      const own = shots.filter((shot) => emailOf(shot) === email)
      if (own.length === 0) continue
      const watched = await watch(browser, aglet.origin, email, look)
      for (const shot of own) await photograph(watched, shot, `${look.viewport.width}-${look.colorScheme}`)
      await watched.close()
    }
  process.stdout.write(`The pictures are in ${values.to}.\n`)
} finally {
  await browser.close()
  await stopAglet(aglet)
  await vendors.close()
  rmSync(data, { recursive: true, force: true })
}
