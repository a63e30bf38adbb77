import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Journey } from '#contract/journey.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import { type Aglet, type Customer, call, makeCustomer, makeScript, settledJourney, until } from '../fake/aglet.ts'
import type { Received, Vendors } from '../vendors/server.ts'

/** The events of every client: a visit, an identify, and a purchase. */
export const customerId = 'customer-42'
export const email = 'ada@example.com'
export const landing = 'https://shop.example/?fbclid=Click-1'
export const orderId = 'A-1001'
/** The order in the format of Segment's e-commerce specification. */
export const order = {
  order_id: orderId,
  total: 59.98,
  currency: 'EUR',
  products: [{ product_id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2 }],
}

/** A tag that accepts the calls of a source, with the channels of Meta and Google Analytics 4. */
export async function openShop(aglet: Aglet, name: string, source: SourceName): Promise<Customer> {
  const customer = await makeCustomer(aglet, name)
  const { status } = await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: [source] })
  assert.equal(status, 200)
  await makeScript(customer, 'facebook', 'Meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '123456789012345' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'EAAB-token' },
  ])
  await makeScript(customer, 'googleAnalytics4', 'GA4', [
    { variable: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID', type: 'IDENTIFIER', value: 'G-ABC123' },
    { variable: 'GOOGLE_ANALYTICS_4_API_SECRET', type: 'PASSWORD', value: 'ga-secret' },
  ])
  return customer
}

type Row = { eventId: string; eventName: string }

/** The journey of the first event with a name, once every delivery has a final status. For SDKs that choose the event ids. */
export async function journeyNamed(customer: Customer, eventName: string): Promise<Journey> {
  let row: Row | undefined
  await until(async () => {
    const { body } = await call<{ events: Row[] }>(customer, 'GET', `/tag/${customer.tagId}/event`)
    row = body.events.find((event) => event.eventName === eventName)
    return row !== undefined
  })
  return settledJourney(customer, row!.eventId)
}

type GaBody = { client_id: string }

/**
 * Asserts that the fake Meta and Google Analytics 4 received the visit and the purchase, as one user, with the e-mail of
 * the identify, the click id of the visit and the order.
 */
export function assertArrived(vendors: Vendors, visit: Journey, purchase: Journey): void {
  assert.deepEqual([visit.eventName, purchase.eventName], ['PageView', 'Purchase'])
  assert.equal(
    visit.userId,
    purchase.joined?.userId ?? purchase.userId,
    'an event by customer id alone is of its device',
  )
  for (const { deliveries } of [visit, purchase])
    assert.deepEqual(deliveries.map(({ providerId, status }) => [providerId, status]).sort(), [
      ['facebook', 'delivered'],
      ['googleAnalytics4', 'delivered'],
    ])
  assert.deepEqual(
    vendors.received.flatMap(({ wrong }) => wrong),
    [],
  )
  const sent = (vendor: string, eventName: string): Received['got'] => {
    const found = vendors.received.find((each) => each.vendor === vendor && each.got.body.includes(`"${eventName}"`))
    assert.ok(found, `${vendor} got ${eventName}`)
    return found.got
  }
  const meta = sent('facebook', 'Purchase').body
  assert.match(meta, new RegExp(createHash('sha256').update(email).digest('hex')))
  assert.match(meta, /"fbc":"fb\.1\.\d{13}\.Click-1"/)
  assert.match(meta, /"value":59\.98/)
  assert.match(meta, /"currency":"EUR"/)
  assert.match(sent('facebook', 'PageView').body, /"fbc":"fb\.1\.\d{13}\.Click-1"/)
  const ga = sent('googleAnalytics4', 'purchase')
  assert.match(ga.body, /"transaction_id":"A-1001"/)
  assert.match(ga.body, /"item_id":"sku-1"/)
  const clientOf = ({ json }: Received['got']) => (json as GaBody).client_id
  assert.equal(clientOf(ga), clientOf(sent('googleAnalytics4', 'page_view')))
}

/** Asserts that consent kept the event from every channel. */
export function assertRefused(vendors: Vendors, { deliveries }: Journey): void {
  assert.deepEqual([...new Set(deliveries.map(({ status, reason }) => `${status}: ${reason}`))], ['skipped: consent'])
  assert.deepEqual(vendors.received, [])
}
