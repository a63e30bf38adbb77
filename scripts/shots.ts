/** The dashboard screenshots that scripts/screenshots.ts takes: every page, with data, empty and broken. */
import type { Page } from 'playwright-core'
import { type DashboardFixture, sendEvents, shopEvent } from '../test/fake/dashboard.ts'
import { pathsOf } from '../test/fake/dashboardBrowser.ts'

/** The people, by e-mail. The operator signs in by a link. */
export const [owner, viewer, newcomer, operator] = [
  'jane@shop.example',
  'vic@shop.example',
  'new@shop.example',
  'operator',
]

/** One screenshot: the person, the address, and the actions before it is taken. */
export type Shot = {
  name: string
  path: string
  as?: string | undefined
  before?: (page: Page) => Promise<unknown>
  /** The whole page, not only the visible part. */
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

/** A page without scripts is complete once it is loaded. */
const loaded = (page: Page) => page.getByRole('heading').first().waitFor()

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
export function shotsWithData(fixture: DashboardFixture): Shot[] {
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
export function otherShots(fixture: DashboardFixture, empty: Pick<DashboardFixture, 'customer'>): Shot[] {
  const { team, tag } = pathsOf(fixture)
  const none = pathsOf(empty).tag
  return [
    { name: 'sign-in', path: team, as: undefined },
    { name: 'sign-in-page', path: '/v1/account/sign-in', as: undefined, before: loaded },
    { name: 'link-used', path: '/sandbox/v1/account/link/used', as: undefined, before: loaded },
    { name: 'start-page', path: '/', as: undefined, before: loaded },
    { name: 'manual', path: '/docs/manual', as: undefined, before: loaded },
    { name: 'manual-page', path: '/docs/consent', as: undefined, before: loaded },
    { name: 'manual-search', path: '/docs/search?q=consent', as: undefined, before: loaded },
    {
      name: 'api-reference',
      path: '/docs',
      as: undefined,
      before: (page) => page.locator('.opblock').first().waitFor(),
    },
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
        await page.goto(fixture.aglet.origin + tag)
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
