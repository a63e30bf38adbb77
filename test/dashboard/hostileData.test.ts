import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Customer, call, makeCustomer, makeScript, sinkAt, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@hostiledata.shop.example'
/** Markup that runs, loads or navigates if a page renders it as anything but text. */
const markup = `"'><img src=x onerror=window.hit=1><svg onload=window.hit=1><a href=javascript:window.hit=1>`
const address = 'javascript:window.hit=1'
const template = ['$', '{window.hit=1}{{window.hit=1}}'].join('')
const texts = [markup, address, template, '__proto__', '</script><script>window.hit=1</script>']
const eventId = (n: number) => `${texts[n % texts.length]} ${n}`

let customer: Customer
let scriptId: string
let browser: Browser
let origin = ''
if (!noChromium) {
  const { aglet, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    ;({ origin } = aglet)
    customer = await makeCustomer(aglet, `team ${markup}`)
    const { tagId } = customer
    scriptId = await makeScript(customer, 'eventSink', markup, sinkAt('http://127.0.0.1:9/in'))
    await call(customer, 'PUT', `/tag/${tagId}`, { name: markup, allowedOrigins: ['http://localhost'] })
    await call(customer, 'POST', '/application', { name: markup, scopes: ['script:read'] })
    await addPerson(customer, { name: markup, email: owner, role: 'owner' })
    const events = Array.from({ length: 10 }, (_, n) => {
      const text = texts[n % texts.length]!
      const data = { value: 5, currency: text, orderId: text, contents: [{ id: text, title: text }], [text]: text }
      return shopEvent(n, {
        eventName: text,
        eventId: eventId(n),
        data,
        pageUrl: text,
        pageTitle: text,
        userFirstName: text,
      })
    })
    await sendEvents(customer, events, { 'user-agent': markup })
    await until(async () => {
      const { body } = await call<{ events: unknown[] }>(customer, 'GET', `/tag/${tagId}/event?limit=50`)
      return body.events.length >= events.length
    })
  })
}

describe('hostile data in every field', { skip: noChromium }, () => {
  test('is shown as text on every page: nothing of it runs, loads or is a link', async () => {
    const { page, go, consoleErrors, strangers, close } = await watch(browser, origin, owner)
    const { team, tag } = pathsOf({ customer })
    const lists = [
      '',
      '/live',
      '/events',
      '/deliveries',
      '/channels',
      '/deployments',
      '/install',
      '/consent',
      '/settings',
    ]
    const ofTag = [...lists, `/channels/${scriptId}`, `/channels/${scriptId}/edit`]
    const journeys = texts.map((_, n) => `/events/${encodeURIComponent(eventId(n))}`)
    const ofTeam = ['', '/members', '/applications', '/audit', '/alerts']
    let shown = 0
    for (const path of [...ofTeam.map((each) => team + each), ...[...ofTag, ...journeys].map((each) => tag + each)]) {
      await go(path)
      const found = await page.evaluate<{ hit: unknown; links: number; made: number; shown: boolean }>(`({
        hit: window.hit,
        links: document.querySelectorAll('a[href^="javascript:" i], [src^="javascript:" i]').length,
        made: document.querySelectorAll('img[src="x"], [onerror], [onload]').length,
        shown: document.body.textContent.includes('onerror=window.hit'),
      })`)
      assert.deepEqual([path, found.hit, found.links, found.made], [path, undefined, 0, 0])
      if (found.shown) shown++
    }
    assert.ok(shown >= 10, `${shown} pages show the texts`)
    assert.deepEqual([consoleErrors, strangers], [[], []])
    await close()
  })
})
