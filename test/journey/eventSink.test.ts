import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Customer,
  makeCustomer,
  makeScript,
  openAglet,
  type Plain,
  settledJourney,
  sinkAt,
} from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const receiver = await openVendor()
after(receiver.close)
const aglet = await openAglet('event-sink', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })

type Message = { payload: { eventId: string; data: { bad?: boolean } } }
const text = (variable: string, value: string): Plain => ({ variable, type: 'TEXT', value })

/** Sends events in one request. */
async function send(customer: Customer, ids: readonly string[], data: (id: string) => object = () => ({})) {
  const events = ids.map((eventId) => ({
    eventName: 'PageView',
    eventId,
    timestamp: Date.now(),
    data: data(eventId),
    storage: { service: { consent: { all: true } } },
  }))
  const answer = await fetch(`${customer.tagUrl}/tag`, { method: 'POST', body: JSON.stringify(events) })
  assert.equal(answer.status, 200)
}
const numbered = (count: number) => Array.from({ length: count }, (_, number) => `event-${number}`)

/** The lists received at an address. */
const listsAt = (path: string): Message[][] =>
  receiver.got.filter((got) => got.path === path).map(({ json }) => json as Message[])

test('a sink with a list gets many events in few requests, each once, and each has a delivery of its own', async () => {
  const customer = await makeCustomer(aglet, 'array')
  await makeScript(customer, 'eventSink', 'sink', [
    ...sinkAt(`${receiver.url}/array`),
    text('EVENT_SINK_FORMAT', 'array'),
    text('EVENT_SINK_BATCH_SIZE', '50'),
    { variable: 'EVENT_SINK_GZIP', type: 'CHECKBOX', value: '1' },
  ])
  // the script's limits are known from its first attempt on
  await send(customer, ['first'])
  await settledJourney(customer, 'first')
  const ids = numbered(100)
  await send(customer, ids)
  for (const id of ids) {
    const { deliveries } = await settledJourney(customer, id)
    assert.deepEqual([deliveries.length, deliveries[0]?.status], [1, 'delivered'])
  }
  const lists = listsAt('/array')
  const got = lists.flat().map(({ payload }) => payload.eventId)
  assert.deepEqual(got.sort(), ['first', ...ids].sort())
  assert.ok(lists.length <= 10, `${lists.length} requests`)
  assert.ok(lists.every((list) => list.length <= 50))
  assert.equal(receiver.got.at(-1)!.headers['content-encoding'], 'gzip')
})

test('the events that the answer names are refused with its message, and the others are delivered', async () => {
  const customer = await makeCustomer(aglet, 'partial')
  await makeScript(customer, 'eventSink', 'sink', [
    ...sinkAt(`${receiver.url}/partial`),
    text('EVENT_SINK_FORMAT', 'array'),
  ])
  receiver.answer = ({ json }) => {
    const failed = (json as Message[]).flatMap(({ payload }, index) =>
      payload.data.bad ? { index, message: 'unknown item' } : [],
    )
    return { body: JSON.stringify({ failed }) }
  }
  await send(customer, ['known'])
  await settledJourney(customer, 'known')
  await send(customer, ['alone'], () => ({ bad: true }))
  const [alone] = (await settledJourney(customer, 'alone')).deliveries
  assert.deepEqual([alone?.status, alone?.reason], ['refused', 'payloadRefused'])
  await send(customer, ['a', 'b', 'c'], (id) => ({ bad: id === 'b' }))
  const journeys = await Promise.all(['a', 'b', 'c'].map((id) => settledJourney(customer, id)))
  assert.deepEqual(
    journeys.map(({ deliveries: [delivery] }) => [delivery?.status, delivery?.reason]),
    [
      ['delivered', undefined],
      ['refused', 'payloadRefused'],
      ['delivered', undefined],
    ],
  )
  assert.match(JSON.stringify(journeys[1]), /unknown item/)
})
