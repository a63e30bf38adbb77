import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { call, makeCustomer, makeSourceKey, openAglet, until } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { exportsOf, skipMissing } from './client.ts'
import { assertArrived, assertRefused, customerId, email, journeyNamed, landing, openShop, orderId } from './shop.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('cloud-events', { AGLET_VENDORS_URL: vendors.url })

type Emit = (event: unknown) => Promise<unknown>
type Sdk = {
  CloudEvent: new (event: object) => unknown
  Mode: Record<'BINARY' | 'STRUCTURED', string>
  HTTP: { binary(event: unknown): { headers: Record<string, string>; body: string } }
  httpTransport(url: string): unknown
  emitterFor(transport: unknown, options: { mode: string }): Emit
}

test('cloudevents: its emitter sends a binary and a structured event, which are in the journal', async (t) => {
  const sdk = exportsOf<Sdk>('cloudevents')
  if (!sdk) return skipMissing(t, 'cloudevents')
  const customer = await makeCustomer(aglet, 'cloud events')
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: ['cloudEvents'] })
  const key = await makeSourceKey(aglet, customer)
  const transport = sdk.httpTransport(`${customer.tagUrl}/cloudevents?access_token=${key}`)
  for (const mode of ['BINARY', 'STRUCTURED'] as const) {
    const id = randomUUID()
    const event = new sdk.CloudEvent({
      id,
      source: '/shop',
      type: 'com.example.Purchase',
      userid: 'customer-42',
      data: { value: 59.98, currency: 'EUR', orderId: 'Ä-1001' },
    })
    await sdk.emitterFor(transport, { mode: sdk.Mode[mode] })(event)
    let journey: Journey | undefined
    await until(async () => {
      const path = `/tag/${customer.tagId}/event/${encodeURIComponent(`/shop#${id}`)}`
      const { status, body } = await call<Journey>(customer, 'GET', path)
      journey = body
      return status === 200
    })
    assert.deepEqual([mode, journey!.eventName, journey!.trusted], [mode, 'Purchase', true])
    assert.deepEqual(journey!.received?.data, { value: 59.98, currency: 'EUR', orderId: 'Ä-1001' })
  }
})

/** A visit, an identify and a purchase of a device. `consentCategories`: of each event. */
async function visitShop(sdk: Sdk, url: string, deviceid: string, isGranted: boolean): Promise<void> {
  const emit = sdk.emitterFor(sdk.httpTransport(url), { mode: sdk.Mode.BINARY })
  const storage = { service: { consentCategories: { advertising: isGranted, analytics: isGranted } } }
  const contents = [{ id: 'sku-1', title: 'Runner', item_price: 29.99, quantity: 2 }]
  const data = { value: 59.98, currency: 'EUR', orderId, contents }
  for (const [type, event, attributes] of [
    ['com.example.visit', { eventName: 'PageView', pageUrl: landing }, {}],
    ['com.example.login', { eventName: 'Login' }, { userid: customerId, useremail: email }],
    ['com.example.order', { eventName: 'Purchase', data }, { userid: customerId }],
  ] as const)
    await emit(new sdk.CloudEvent({ source: '/shop', type, deviceid, ...attributes, data: { ...event, storage } }))
}

for (const isGranted of [true, false])
  test(`cloudevents: a visit, an identify and a purchase ${isGranted ? 'arrive at Meta and GA4' : 'go nowhere where the consent refuses'}`, async (t) => {
    const sdk = exportsOf<Sdk>('cloudevents')
    if (!sdk) return skipMissing(t, 'cloudevents')
    const customer = await openShop(aglet, `cloud events ${isGranted}`, 'cloudEvents')
    const device = randomUUID()
    vendors.received.length = 0
    const key = await makeSourceKey(aglet, customer)
    await visitShop(sdk, `${customer.tagUrl}/cloudevents?access_token=${key}`, device, isGranted)
    const purchase = await journeyNamed(customer, 'Purchase')
    assert.equal(purchase.userId, device)
    if (isGranted) assertArrived(vendors, await journeyNamed(customer, 'PageView'), purchase)
    else assertRefused(vendors, purchase)
  })
