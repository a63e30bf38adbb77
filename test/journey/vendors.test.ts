import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { cart } from '#provider/form/exampleData.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  type Plain,
  settledJourney,
  until,
} from '../fake/aglet.ts'
import { vendors as all } from '../vendors/all.ts'
import { openVendors } from '../vendors/server.ts'

const vendors = await openVendors()
after(vendors.close)
const ids = Object.keys(all) as ProviderId[]
// the guard is as in production: requests to customer-defined vendor addresses also go to the fake vendors
const aglet = await openAglet('vendors', { AGLET_VENDORS_URL: vendors.url })

/** The secrets of the first example with a purchase. */
function secretsOf(id: ProviderId): Plain[] {
  const { secrets } = providers[id]!
  const { secrets: given } = examplesOf(id).find(({ event, sends, testMode: isTest }) => {
    return event.eventName === 'Purchase' && !('skipped' in sends) && !isTest
  })!
  return Object.entries(given).map(([variable, value]) => ({ variable, type: secrets[variable]!.type, value: value! }))
}

const visits = Object.values(all).map(({ visit = {} }) => visit)
const landing = new URLSearchParams({
  cjevent: 'click-1',
  im_ref: 'click-2',
  ...Object.assign({}, ...visits.map(({ query }) => query)),
})

const purchase = (eventId: string) => ({
  eventName: 'Purchase',
  eventId,
  timestamp: Date.now(),
  pageUrl: `https://shop.example/thanks?${landing}`,
  pageTitle: 'Thanks',
  userEmail: 'Ada@Example.com',
  userCustomerId: 'C-1042',
  ...Object.assign({}, ...visits.map(({ user }) => user)),
  data: { ...cart, orderId: `order-${eventId}`, ...Object.assign({}, ...visits.map(({ data }) => data)) },
  storage: {
    service: { consent: { all: true } },
    data: { page: Object.assign({}, ...visits.map(({ cookies }) => cookies)) },
  },
})

async function send({ tagUrl }: Customer, event: object): Promise<void> {
  const answer = await fetch(`${tagUrl}/tag`, {
    method: 'POST',
    // as from a page: some vendors require the visitor's address and user agent
    headers: { 'content-type': 'application/json', ServiceUserId: 'shopper-1', origin: 'http://localhost' },
    body: JSON.stringify(event),
  })
  assert.equal(answer.status, 200)
}

test('one event reaches every vendor of the catalogue that has a stand-in, and each finds nothing wrong with it', async () => {
  const customer = await makeCustomer(aglet, 'every vendor')
  for (const id of ids) await makeScript(customer, id, id, secretsOf(id))
  await send(customer, purchase('every-vendor'))
  const { deliveries } = await settledJourney(customer, 'every-vendor')
  const ends = deliveries.map(({ providerId, status, reason }) => [providerId, status, reason])
  assert.deepEqual(ends.sort(), ids.map((id) => [id, 'delivered', undefined]).sort())
  assert.deepEqual(
    vendors.received.flatMap(({ vendor, wrong }) => wrong.map((each) => `${vendor}: ${each}`)),
    [],
  )
  assert.deepEqual([...new Set(vendors.received.map(({ vendor }) => vendor))].sort(), [...ids].sort())
})

test('what a vendor says of a wrong key stands in the journey, without the key', async () => {
  const customer = await makeCustomer(aglet, 'wrong key')
  const bad = secretsOf('braze').map((each) => (each.type === 'PASSWORD' ? { ...each, value: 'bad-canary' } : each))
  await makeScript(customer, 'braze', 'braze', bad)
  await send(customer, purchase('wrong-key'))
  let journey = ''
  await until(async () => {
    const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/wrong-key`)
    journey = JSON.stringify(body)
    return body.deliveries?.[0]?.reason === 'keyRejected'
  })
  assert.doesNotMatch(journey, /bad-canary/)
})
