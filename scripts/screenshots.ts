/**
 * Takes screenshots of every page and state of the dashboard: npm run screenshots [-- --to folder] [-- --only overview,event]
 * [-- --variants 1440-light]. It starts a server with the fake vendors, fills it with a day of events, and writes PNG files at
 * 1440 and 390 px, light and dark.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { seedJournal } from '../bench/seed.ts'
import { call, freePort, makeCustomer, operate, startAglet, stopAglet } from '../test/fake/aglet.ts'
import { noChromium, openBrowser } from '../test/fake/browser.ts'
import { addPerson, type DashboardFixture, fillTag, makeFixture, vendorEnvironment } from '../test/fake/dashboard.ts'
import { settled, type Watched, watch } from '../test/fake/dashboardBrowser.ts'
import { openVendors } from '../test/vendors/server.ts'
import { emptyManagementShots, fillManagement, managementShots } from './managementShots.ts'
import { newcomer, operator, otherShots, owner, type Shot, shotsWithData, viewer } from './shots.ts'

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(tmpdir(), 'aglet-screenshots') },
    /** The names of the screenshots to take, or prefixes of them. */
    only: { type: 'string', default: '' },
    /** The variants to take, such as 1440-light,390-dark; default: all. */
    variants: { type: 'string', default: '' },
    /** Takes only the screenshots of the docs, as WebP in docs/images/. */
    docs: { type: 'boolean', default: false },
  },
})

const variants = [
  { viewport: { width: 1440, height: 900 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
].flatMap((size) => (['light', 'dark'] as const).map((colorScheme) => ({ ...size, colorScheme })))
const docVariants = (['light', 'dark'] as const).map((colorScheme) => ({
  viewport: { width: 1280, height: 800 },
  colorScheme,
}))
/** The screenshots that the docs show. */
const docShots = new Set(['overview-day', 'live', 'event', 'replays-counted', 'consent', 'playground', 'shop-connect'])
const docsFolder = join(import.meta.dirname, '../docs/images')

/** Screenshots for the docs use names of a typical length. */
async function renameLongChannel({ customer, scripts }: DashboardFixture): Promise<void> {
  const body = { name: 'Plausible', providerId: 'plausible', tagId: customer.tagId, consentCategory: 'analytics' }
  await call(customer, 'PUT', `/script/${scripts.long}`, body)
}

type Variant = (typeof variants | typeof docVariants)[number]
const nameOf = ({ viewport, colorScheme }: Variant) => `${viewport.width}-${colorScheme}`

/** A failed screenshot does not stop the others. */
function fail({ name }: Shot, error: unknown): void {
  process.stderr.write(`${name}: ${error}\n`)
  process.exitCode = 1
}

/** Saves the visible part as WebP, which Playwright does not support. */
async function saveForDocs(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  mkdirSync(docsFolder, { recursive: true })
  writeFileSync(join(docsFolder, name), Buffer.from(data, 'base64'))
}

/** Takes one screenshot once nothing is loading, and then resets the browser. */
async function photograph({ page, context, go }: Watched, { name, path, before, isWhole }: Shot, file: string) {
  await go(path)
  await before?.(page)
  if (!before) await settled(page)
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))')
  if (values.docs) await saveForDocs(page, `${name}-${file.replace(/^\d+-/, '')}.webp`)
  else await page.screenshot({ path: join(values.to, `${name}-${file}.png`), fullPage: isWhole === true })
  await page.unrouteAll()
  await context.setOffline(false)
}

/** A person's browser; the operator signs in by a link. */
async function signIn(email: string | undefined, variant: Variant): Promise<Watched> {
  if (email !== operator) return watch(browser, aglet.origin, email, variant)
  const watched = await watch(browser, aglet.origin, undefined, variant)
  const { url } = await operate<{ url: string }>(aglet, 'sign-in', 'production', {})
  await watched.page.goto(url)
  await watched.page.getByRole('button').first().click()
  await watched.page.waitForURL(/\/dashboard/)
  return watched
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
  if (values.docs) await renameLongChannel(fixture)
  const ids = await fillManagement({ ...fixture, aglet })
  const all = [
    ...shotsWithData(fixture),
    ...managementShots(fixture, ids),
    ...otherShots(fixture, empty),
    ...emptyManagementShots(empty, newcomer),
  ]
  const isAsked = (name: string) => only.length === 0 || only.some((start) => name.startsWith(start))
  const shots = all.filter(({ name }) => isAsked(name) && (!values.docs || docShots.has(name)))
  const emailOf = (shot: Shot) => ('as' in shot ? shot.as : owner)
  const chosen = values.variants.split(',').filter(Boolean)
  for (const variant of (values.docs ? docVariants : variants).filter(
    (each) => chosen.length === 0 || chosen.includes(nameOf(each)),
  ))
    for (const email of [undefined, owner, viewer, newcomer, operator]) {
      const own = shots.filter((shot) => emailOf(shot) === email)
      if (own.length === 0) continue
      const watched = await signIn(email, variant)
      for (const shot of own) await photograph(watched, shot, nameOf(variant)).catch((error) => fail(shot, error))
      await watched.close()
    }
  process.stdout.write(`The pictures are in ${values.docs ? docsFolder : values.to}.\n`)
} finally {
  await browser.close()
  await stopAglet(aglet)
  await vendors.close()
  rmSync(data, { recursive: true, force: true })
}
