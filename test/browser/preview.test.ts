import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { PreviewEvent, PreviewLink } from '#contract/previewLink.ts'
import { readSdkBuilds, sdkFolder } from '#manifest/sdkBuilds.ts'
import { type Aglet, call, freePort, makeCustomer, makeScript, startAglet, stopAglet, until } from '../fake/aglet.ts'
import { addressIn, aglet, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
import { openVendor, type Vendor } from '../fake/vendor.ts'

let vendor: Vendor
let server: Aglet
let browser: Browser
let shop: Shop
const data = mkdtempSync(join(tmpdir(), 'aglet-preview-'))

if (!noChromium) {
  before(async () => {
    vendor = await openVendor()
    const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
    server = await startAglet({ data, port: await freePort(), environment })
    shop = await openShop()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
    if (server) await stopAglet(server)
    await vendor?.close()
    rmSync(data, { recursive: true, force: true })
  })
}

const all = { all: true }

async function open(name: string) {
  const customer = await makeCustomer(server, name)
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { domain: 'localhost', allowedOrigins: [shop.origin] })
  const sink = [{ variable: 'EVENT_SINK_URL', type: 'TEXT' as const, value: `${vendor.url}/${name}` }]
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sink)
  await makeScript(customer, 'facebook', 'Meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '42' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
    { variable: 'FACEBOOK_BROWSER_PIXEL', type: 'CHECKBOX', value: '1' },
  ])
  const path = `/tag/${customer.tagId}/preview-link`
  const makeLink = async (terms: object = {}) =>
    (await call<PreviewLink>(customer, 'POST', path, { draft: true, deliver: 'none', ...terms })).body
  const shown = async ({ previewId }: PreviewLink) =>
    (await call<{ events: PreviewEvent[] }>(customer, 'GET', `${path}/${previewId}/event`)).body.events
  const received = () => vendor.got.filter((each) => each.path === `/${name}`)
  return { customer, scriptId, makeLink, shown, received }
}

/** The address of a page of the shop with a preview code. */
const withCode = (path: string, { code }: Pick<PreviewLink, 'code'>) => `${path}?aglet_preview=${code}&product=7`

const hasBadge = (page: Page) => page.locator('aglet-preview').count()

describe('a preview link', { skip: noChromium }, () => {
  test('runs the draft for this browser alone, under a strict policy, and shows a badge', async (t) => {
    const { customer, scriptId, makeLink, shown, received } = await open('draft')
    const never = { filter: { data: { value: { $gt: 1_000 } } }, shouldDeploy: false }
    await call(customer, 'PATCH', `/script/${scriptId}`, never)
    const link = await makeLink()
    const previewer = await visit(browser, shop, customer.tagUrl)
    t.after(() => previewer.close())
    const page = await previewer.open(withCode('/', link))
    await until(async () => (await hasBadge(page)) === 1)
    assert.doesNotMatch(page.url(), /aglet_preview/)
    assert.match(page.url(), /product=7/)
    assert.equal(await page.evaluate('document.querySelector("aglet-preview").shadowRoot'), null)
    await aglet(page, 'consent', all)
    const answer = (await aglet(page, 'tag', 'Purchase', { value: 30, currency: 'EUR' })) as { previewId?: string }
    assert.equal(answer.previewId, link.previewId)
    // the next page of the same tab, in a shop with several pages or a single-page shop
    await page.goto(addressIn(shop, '/', customer.tagUrl))
    await until(async () => (await hasBadge(page)) === 1)
    await page.evaluate("history.pushState(null, '', '/cart')")
    await aglet(page, 'tag', 'AddToCart', { value: 5, currency: 'EUR' })
    await until(async () => (await shown(link)).filter(({ isPlanned }) => isPlanned).length >= 2)
    const events = (await shown(link)).filter(({ kind }) => kind === 'event')
    assert.deepEqual(
      events.map(({ journey }) => journey.eventName),
      ['Purchase', 'AddToCart'],
    )
    for (const { journey } of events) {
      const delivery = journey.deliveries.find((each) => each.scriptId === scriptId)
      assert.deepEqual([delivery?.status, delivery?.reason], ['skipped', 'filtered'])
      assert.doesNotMatch(JSON.stringify(journey.received), /aglet_preview/)
    }
    assert.equal(await page.evaluate('typeof fbq'), 'undefined')
    assert.deepEqual([received(), previewer.consoleErrors], [[], []])

    const other = await visit(browser, shop, customer.tagUrl)
    t.after(() => other.close())
    const otherPage = await other.open('/')
    await aglet(otherPage, 'consent', all)
    await aglet(otherPage, 'tag', 'Purchase', { value: 30, currency: 'EUR' })
    await until(() => received().length === 1)
    assert.equal(await hasBadge(otherPage), 0)
  })

  test('sends nothing of a page that is left, nor from another tab', async (t) => {
    const { customer, makeLink, shown, received } = await open('leaving')
    const link = await makeLink()
    const previewer = await visit(browser, shop, customer.tagUrl)
    t.after(() => previewer.close())
    const first = await previewer.open(withCode('/', link))
    await aglet(first, 'consent', all)
    await first.goto(`${addressIn(shop, '/checkout', customer.tagUrl)}&order=1`)
    await first.waitForURL('**/thanks')
    await until(async () => (await shown(link)).some(({ journey }) => journey.eventName === 'Purchase'))
    const second = await previewer.open('/')
    assert.equal(await hasBadge(second), 0)
    await aglet(second, 'tag', 'Lead')
    await until(() => received().length === 1)
    assert.deepEqual(
      received().map(({ json }) => (json as { payload: { eventName: string } }).payload.eventName),
      ['Lead'],
    )
  })

  test('waits for the consent of the banner as any page does', async (t) => {
    const { customer, makeLink, shown } = await open('banner')
    await call(customer, 'PUT', `/tag/${customer.tagId}`, { captureBeforeConsent: 'memory' })
    const link = await makeLink()
    const previewer = await visit(browser, shop, customer.tagUrl)
    t.after(() => previewer.close())
    const page = await previewer.open(withCode('/', link))
    await until(async () => (await hasBadge(page)) === 1)
    void page.evaluate("void aglet('tag', 'Lead')")
    await aglet(page, 'consent', { all: false })
    assert.deepEqual(await shown(link), [])
    await aglet(page, 'consent', all)
    await aglet(page, 'tag', 'PageView')
    await until(async () => (await shown(link)).length > 0)
    assert.deepEqual(
      (await shown(link)).map(({ journey }) => journey.eventName),
      ['PageView'],
    )
  })

  test('of another tag, or that is over, makes no preview: events are real, and the next page is an ordinary one', async (t) => {
    const { customer, received } = await open('foreign')
    const other = await open('other')
    const link = await other.makeLink()
    const previewer = await visit(browser, shop, customer.tagUrl)
    t.after(() => previewer.close())
    const page = await previewer.open(withCode('/', link))
    await until(async () => (await hasBadge(page)) === 1)
    await aglet(page, 'consent', all)
    await aglet(page, 'tag', 'Lead')
    await until(() => received().length === 1)
    await page.goto(addressIn(shop, '/', customer.tagUrl))
    await aglet(page, 'tag', 'Lead')
    assert.equal(await hasBadge(page), 0)
  })
})

test('what a preview loads is small', () => {
  const { preview } = readSdkBuilds(sdkFolder)[0]!
  assert.ok(gzipSync(preview!, { level: 9 }).length <= 6_000)
})
