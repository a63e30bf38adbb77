/**
 * Photographs every page and state of the dashboard: npm run screenshots [-- --to folder]. It starts a server with the
 * fake vendors, fills it, and writes PNG files at 1440 and 390 px, light and dark, to look at.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { freePort, makeCustomer, startAglet, stopAglet } from '../test/fake/aglet.ts'
import { noChromium, openBrowser } from '../test/fake/browser.ts'
import { addPerson, type DashboardWorld, fillWorld, vendorEnvironment } from '../test/fake/dashboard.ts'
import { pathsOf, settled, watch } from '../test/fake/dashboardBrowser.ts'
import { openVendors } from '../test/vendors/server.ts'

const { values } = parseArgs({ options: { to: { type: 'string', default: join(tmpdir(), 'aglet-screenshots') } } })
const [owner, viewer, newcomer] = ['jane@shop.example', 'vic@shop.example', 'new@shop.example']

/** One picture: who looks at which address, and what is done before. */
type Shot = { name: string; path: string; as?: string | undefined; before?: (page: Page) => Promise<unknown> }

function shotsOf(world: DashboardWorld, empty: Pick<DashboardWorld, 'customer'>): Shot[] {
  const { team, tag } = pathsOf(world)
  const none = pathsOf(empty).tag
  const { braze, meta } = world.scripts
  const press = (key: string) => (page: Page) => page.keyboard.press(key)
  const fail = (path: RegExp) => (page: Page) =>
    page.route(path, (route) =>
      route.fulfill({
        status: 500,
        json: { message: 'An internal error occurred.', error: 'INTERNAL', statusCode: 500 },
      }),
    )
  return [
    { name: 'sign-in', path: team, as: undefined },
    { name: 'team', path: team },
    { name: 'overview', path: tag },
    { name: 'overview-compared', path: `${tag}?range=24h&compare=on` },
    { name: 'overview-empty', path: none, as: newcomer },
    { name: 'overview-viewer', path: tag, as: viewer },
    { name: 'live', path: `${tag}/live` },
    { name: 'events', path: `${tag}/events` },
    { name: 'events-empty', path: `${none}/events`, as: newcomer },
    { name: 'events-no-match', path: `${tag}/events?name=Nothing` },
    { name: 'event', path: `${tag}/events/order-1004` },
    { name: 'event-unknown', path: `${tag}/events/never-there` },
    { name: 'deliveries', path: `${tag}/deliveries` },
    { name: 'channels', path: `${tag}/channels` },
    { name: 'channels-empty', path: `${none}/channels`, as: newcomer },
    { name: 'channels-new', path: `${tag}/channels/new` },
    { name: 'channel-form', path: `${tag}/channels/new/facebook` },
    { name: 'channel-edit', path: `${tag}/channels/${meta}/edit` },
    { name: 'channel-failing', path: `${tag}/channels/${braze}` },
    { name: 'channel-viewer', path: `${tag}/channels/${braze}`, as: viewer },
    { name: 'install', path: `${tag}/install` },
    { name: 'palette', path: tag, before: press('Control+k') },
    { name: 'keys', path: tag, before: press('?') },
    {
      name: 'events-error',
      path: `${tag}/channels`,
      before: async (page) => {
        await fail(/\/v1\/tag\/[^/]+\/event/)(page)
        await page
          .getByRole('navigation')
          .getByRole('link', { name: 'Events' })
          .click({ force: true })
          .catch(() => undefined)
      },
    },
    { name: 'offline', path: `${tag}/events`, before: (page) => page.context().setOffline(true) },
    { name: 'not-your-team', path: '/dashboard/team_00000000000000000000000000' },
  ]
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

if (noChromium) process.exit(1)
const vendors = await openVendors()
const data = mkdtempSync(join(tmpdir(), 'aglet-screenshots-data-'))
const aglet = await startAglet({ data, port: await freePort(), environment: vendorEnvironment(vendors) })
const browser = await openBrowser()
try {
  const world = await fillWorld(aglet, vendors)
  const empty = { customer: await makeCustomer(aglet, 'new-shop.example') }
  await addPerson(world.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  await addPerson(world.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  await addPerson(empty.customer, { name: 'New Owner', email: newcomer, role: 'owner' })
  mkdirSync(values.to, { recursive: true })
  for (const viewport of sizes)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const shot of shotsOf(world, empty)) {
        const email = 'as' in shot ? shot.as : owner
        const { page, close } = await watch(browser, aglet.origin, email, { viewport, colorScheme })
        await page.goto(aglet.origin + shot.path)
        await settled(page)
        await shot.before?.(page)
        // Charts and sparklines are drawn after their data has come.
        await page.waitForLoadState('networkidle').catch(() => undefined)
        await page.screenshot({ path: join(values.to, `${shot.name}-${viewport.width}-${colorScheme}.png`) })
        await close()
      }
  process.stdout.write(`The pictures are in ${values.to}.\n`)
} finally {
  await browser.close()
  await stopAglet(aglet)
  await vendors.close()
  rmSync(data, { recursive: true, force: true })
}
