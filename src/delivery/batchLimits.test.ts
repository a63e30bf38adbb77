import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { acceptEvents, openDeliveryHarness, waitForStatus } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

/** A provider whose script decides that a call holds at most three events and that the first waits ten seconds. */
const batching = {
  request: ({ event }: { event: { eventId: string } }) => ({
    url: 'https://sink.example/in',
    json: { eventId: '', ids: [event.eventId] },
  }),
  batch: { maxEvents: 500, listPath: 'ids', limitsOf: () => ({ maxEvents: 3, waitMs: 10_000 }) },
}

test('a script that sets its limits sends one event alone, then as many as it allows within its wait', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), batching)
  const { clock, sent } = harness
  harness.start()
  const accept = (...ids: string[]) =>
    acceptEvents(
      harness,
      ids.map((eventId) => anEvent(clock.now(), { eventId })),
    )
  const calls = () => sent.map(({ json }) => json.ids)
  await accept('a')
  await until('the first event is sent alone', () => sent.length === 1)
  await accept('b', 'c', 'd')
  await until('a full call is sent at once', () => sent.length === 2)
  await accept('e', 'f')
  for (const eventId of ['e', 'f']) await waitForStatus(harness, 'pending 0', eventId)
  await clock.turn(9_999)
  assert.equal(sent.length, 2)
  await clock.turn(1)
  await until('an incomplete call is sent after the wait', () => sent.length === 3)
  assert.deepEqual(calls(), [['a'], ['b', 'c', 'd'], ['e', 'f']])
})
