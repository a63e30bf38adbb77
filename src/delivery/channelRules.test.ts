import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotScript } from '#script/snapshot.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  journeyOf,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const openWith = (...scripts: Partial<SnapshotScript>[]) =>
  openDeliveryHarness(aTag(scripts.map((script, n) => aScript(`scr_${n + 1}`, script))), {
    request: ({ event: { eventName, data }, user }) => ({ url: 'https://x.example/', json: { eventName, data, user } }),
  })
const accept = (harness: DeliveryHarness, more: object = {}) =>
  acceptEvents(harness, anEvent(harness.clock.now(), { eventName: 'Purchase', data: { value: 5, sku: 'a' }, ...more }))

test('a channel gets an event that its filter matches, renamed and mapped; the journal and other channels have it as it came', async () => {
  const harness = await openWith(
    {
      rename: { Purchase: 'Order' },
      filter: { eventName: 'Order', data: { value: { $gte: 5 } } },
      map: [{ set: 'data.id', from: 'data.sku upper' }, { remove: 'data.sku' }],
    },
    {},
  )
  harness.start()
  await accept(harness)
  await waitForStatus(harness, 'delivered 1')
  await waitForStatus(harness, 'delivered 1', 'event-1', 1)
  const sent = harness.sent.map(({ json }) => JSON.stringify(json.data)).sort()
  assert.deepEqual(sent, ['{"value":5,"id":"A"}', '{"value":5,"sku":"a"}'].sort())
  assert.deepEqual(harness.sent.map(({ json }) => json.eventName).sort(), ['Order', 'Purchase'])
  assert.equal((await journeyOf(harness, 'event-1'))!.eventName, 'Purchase')
})

test('an event that a filter, a rename to null or a sample leaves out is skipped: filtered', async () => {
  const harness = await openWith(
    { filter: { data: { value: { $gt: 5 } } } },
    { rename: { Purchase: null } },
    { sample: 1e-9 },
    {},
  )
  harness.start()
  await accept(harness)
  for (const n of [0, 1, 2]) await waitForStatus(harness, 'skipped filtered 0', 'event-1', n)
  await waitForStatus(harness, 'delivered 1', 'event-1', 3)
  assert.equal(harness.sent.length, 1)
})

test('an event that is renamed to one that the provider does not take is not supported', async () => {
  const harness = await openWith({ rename: { Purchase: 'Search' } }, { rename: { Search: 'Purchase' } })
  harness.start()
  await accept(harness)
  await waitForStatus(harness, 'skipped eventNotSupported 0')
  await waitForStatus(harness, 'delivered 1', 'event-1', 1)
})

test('consent, region and selection are decided before the rules', async () => {
  const never = { filter: { eventName: 'Other' } }
  const harness = await openWith({ ...never, geoRegions: 'US' }, { ...never, name: 'off' })
  harness.start()
  await accept(harness, { providers: { all: true, eventSink: { off: false } } })
  await waitForStatus(harness, 'skipped region 0')
  await waitForStatus(harness, 'skipped notSelected 0', 'event-1', 1)
})

test('a mapped event that exceeds a limit of events is dead: payloadRefused', async () => {
  const harness = await openWith({
    map: [1, 2, 3, 4].map((n) => ({ set: `data.copy${n}`, from: 'data.text' })),
  })
  harness.start()
  await accept(harness, { data: { text: 'x'.repeat(20_000) } })
  await waitForStatus(harness, 'dead payloadRefused 0')
  assert.equal(harness.sent.length, 0)
})
