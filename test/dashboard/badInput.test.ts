import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Journey } from '#contract/journey.ts'
import { call, makeCustomer, makeScript, openAglet, sinkAt, startAglet, stopAglet, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import {
  addPerson,
  type DashboardFixture,
  fillFixture,
  longName,
  openVendors,
  sendEvents,
  shopEvent,
  vendorEnvironment,
} from '../fake/dashboard.ts'
import { pathsOf, settled, sharedBrowser, watch } from '../fake/dashboardBrowser.ts'

const jane = 'jane@shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const vendors = await openVendors()
  const aglet = await openAglet('dashboard-bad-input', vendorEnvironment(vendors))
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 12)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: jane, role: 'owner' })
    browser = await sharedBrowser()
  })
  after(() => vendors.close())
}

type MemberList = { members: { personId: string; name: string }[] }

describe('what changes while a page is open', { skip: noChromium }, () => {
  test('a member who is removed is told so at the next call, and sees no data of the team any more', async () => {
    const email = 'leaver@shop.example'
    await addPerson(fixture.customer, { name: 'Lea Leaver', email, role: 'editor' })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, email)
    await go(`${pathsOf(fixture).tag}/events`)
    await page.locator('.listRow').first().waitFor()
    const { body } = await call<MemberList>(fixture.customer, 'GET', '/member')
    const { personId } = body.members.find(({ name }) => name === 'Lea Leaver')!
    const removed = await call(fixture.customer, 'DELETE', `/member/${personId}`)
    assert.equal(removed.status, 200)
    await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
    await page.getByText('Not your team').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Meta' }).count(), 0)
    await close()
  })

  test('a tag that is deleted is gone from its open page, which leads to the others', async () => {
    const { customer } = { customer: await makeCustomer(fixture.aglet, 'gone.example') }
    const email = 'owner@gone.example'
    await addPerson(customer, { name: 'Olive Owner', email, role: 'owner' })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, email)
    await go(`${pathsOf({ customer }).tag}/channels`)
    assert.equal((await call(customer, 'DELETE', `/tag/${customer.tagId}`)).status, 200)
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click()
    await page.getByText(/Page not found|does not exist, or was deleted/).waitFor()
    await close()
  })
})

describe('names and answers of others', { skip: noChromium }, () => {
  test('a name of 200 characters with emoji and right-to-left text is whole where there is room, and cut elsewhere', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, jane)
    const name = longName.slice(0, 200)
    await go(`${pathsOf(fixture).tag}/channels/${fixture.scripts.long}`)
    assert.equal((await page.textContent('h1'))?.trim(), name.trim())
    await go(`${pathsOf(fixture).tag}/channels`)
    const link = page.locator('.channelTable .rowLink', { hasText: 'Büro für' })
    const { width = 0 } = (await link.locator('xpath=..').boundingBox()) ?? {}
    assert.ok(width < 500, `${width} px`)
    assert.equal(await link.getAttribute('title'), name)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('Büro')
    await page.getByRole('option', { name: 'Büro für' }).waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('HTML in the answer of a vendor is shown as text', async () => {
    const html = '<h1>No</h1><script>window.ran = 1</script><img src=x onerror="window.ran = 1">'
    const vendor = createServer((request, response) => {
      request.resume()
      request.on('end', () => response.writeHead(400, { 'content-type': 'text/html' }).end(html))
    })
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/in`
    const scriptId = await makeScript(fixture.customer, 'eventSink', 'HTML', sinkAt(url), { shouldDeploy: true })
    await sendEvents(fixture.customer, [shopEvent(8_000, { eventId: 'html-1' })])
    await until(async () => {
      const path = `/tag/${fixture.customer.tagId}/event/html-1`
      const { deliveries = [] } = (await call<Partial<Journey>>(fixture.customer, 'GET', path)).body
      return deliveries.some((each) => each.scriptId === scriptId && each.status === 'refused')
    })
    const { page, go, ...watched } = await watch(browser, fixture.aglet.origin, jane)
    await go(`${pathsOf(fixture).tag}/events/html-1`)
    await page.getByRole('button', { name: 'HTML', exact: true }).click()
    await page.getByRole('button', { name: 'Response', exact: true }).click()
    await page.locator('pre', { hasText: '<script>window.ran' }).waitFor()
    await go(`${pathsOf(fixture).tag}/channels/${scriptId}`)
    assert.equal(await page.evaluate('window.ran'), undefined)
    assert.deepEqual([watched.consoleErrors, watched.strangers], [[], []])
    await watched.close()
    vendor.close()
  })

  test('an event of 1 MB is refused and counted as rejected; one of 60 KiB is shown whole', async () => {
    const dataOf = (fields: number) =>
      Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field${n}`, 'x'.repeat(1_000)]))
    const large = shopEvent(8_001, { eventId: 'too-large-1', data: dataOf(1_000) })
    await assert.rejects(sendEvents(fixture.customer, [large]), /is larger than 64 KiB/)
    await sendEvents(fixture.customer, [shopEvent(8_002, { eventId: 'large-1', data: dataOf(58) })])
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, jane)
    await until(async () => {
      await go(`${pathsOf(fixture).tag}/events/large-1`)
      return (await page.locator('pre', { hasText: '"field57"' }).count()) > 0
    })
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    await page.getByText('1 rejected').waitFor()
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})

describe('a bad network', { skip: noChromium }, () => {
  test('with 400 ms of delay, and one of ten calls lost, every panel of the overview comes', async () => {
    const { page, context, close } = await watch(browser, fixture.aglet.origin, jane)
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    const kilobyte = 1_024
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 200 * kilobyte,
      uploadThroughput: 100 * kilobyte,
    })
    let calls = 0
    await page.route(/\/v1\//, (route) => (++calls % 10 === 4 ? route.abort('connectionreset') : route.continue()))
    await page.goto(fixture.aglet.origin + pathsOf(fixture).tag)
    await page.getByRole('link', { name: 'Accepted' }).waitFor()
    await page.getByText('Deliveries by outcome').waitFor()
    await page.getByRole('link', { name: 'Braze' }).first().waitFor()
    await settled(page)
    assert.equal(await page.getByText('This did not load').count(), 0)
    await close()
  })

  test('when the server restarts, the live page goes on by itself: nothing is missing, nothing stands twice', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, jane)
    await go(`${pathsOf(fixture).tag}/live`)
    await page.getByText('watching').waitFor()
    await sendEvents(fixture.customer, [shopEvent(9_100, { eventName: 'BeforeRestart' })])
    await page.getByRole('link', { name: 'BeforeRestart' }).waitFor()
    const { data, port } = fixture.aglet
    await stopAglet(fixture.aglet)
    await page.getByText('connection lost, trying again').waitFor()
    const again = await startAglet({ data, port, environment: vendorEnvironment(fixture.vendors) })
    try {
      await sendEvents(fixture.customer, [shopEvent(9_101, { eventName: 'AfterRestart' })])
      await page.getByRole('link', { name: 'AfterRestart' }).waitFor({ timeout: 60_000 })
      for (const name of ['BeforeRestart', 'AfterRestart'])
        assert.equal(await page.getByRole('link', { name }).count(), 1, name)
    } finally {
      await close()
      await stopAglet(again)
    }
  })
})
