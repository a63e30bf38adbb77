import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Journey } from '#contract/journey.ts'
import { type Customer, call, makeCustomer, makeScript, sinkAt, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@attempts.shop.example'
const attempts = 22
let received = 0
/** Refuses every event, with the number of the request. */
const vendor = createServer((request, response) => {
  request.resume().on('end', () => {
    response.statusCode = 400
    response.end(`request number ${++received}`)
  })
})

let customer: Customer
let browser: Browser
let origin = ''
if (!noChromium) {
  const { aglet, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    ;({ origin } = aglet)
    await once(vendor.listen(0, '127.0.0.1'), 'listening')
    customer = await makeCustomer(aglet, 'shop')
    const { port } = vendor.address() as AddressInfo
    const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`http://127.0.0.1:${port}/in`))
    await call(customer, 'PUT', `/tag/${customer.tagId}`, { name: 'shop', allowedOrigins: ['http://localhost'] })
    await addPerson(customer, { name: 'Jane', email: owner, role: 'owner' })
    await sendEvents(customer, [shopEvent(1, { eventId: 'often' })])
    for (let n = 1; n <= attempts; n++) {
      if (n > 1) {
        const replay = { eventIds: ['often'], scriptIds: [scriptId], status: 'refused' }
        const { status, body } = await call(customer, 'POST', `/tag/${customer.tagId}/replay`, replay)
        assert.equal(status, 200, JSON.stringify(body))
      }
      // a token has a limit of calls per minute, so the journal is only read once the vendor has the request
      await until(() => received === n)
      await until(async () => {
        const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/often`)
        const { status, attempts: shown = [], earlierAttempts } = body.deliveries?.[0] ?? {}
        return status === 'refused' && shown.length + (earlierAttempts?.count ?? 0) === n
      })
    }
  })
  after(() => void vendor.close())
}

describe('an event with more attempts than an answer has', { skip: noChromium }, () => {
  test('shows the last one, and the earlier ones on demand', async () => {
    const { tag } = pathsOf({ customer })
    const { page, go, consoleErrors, close } = await watch(browser, origin, owner)
    await go(`${tag}/events/often`)
    const choice = page.getByRole('combobox', { name: /^Attempt / })
    assert.equal(await choice.inputValue(), `${attempts}`)
    await page.getByRole('button', { name: 'Earlier attempts (2)' }).click()
    await choice.getByRole('option', { name: `Attempt 1 of ${attempts}` }).waitFor({ state: 'attached' })
    assert.equal(await choice.getByRole('option').count(), attempts)
    await choice.selectOption('2')
    await page.getByRole('button', { name: 'Response' }).click()
    await page.getByText('HTTP 400: request number 2', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Earlier attempts/ }).count(), 0)
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
