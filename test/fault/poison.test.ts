import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody } from '#event/parseBody.ts'
import { until } from '../fake/clock.ts'
import { acceptEvents, journeyOf, openDeliveryHarness, waitForStatus } from '../fake/deliveryHarness.ts'
import { anEvent, aProvider, aScript, aTag } from '../fake/tag.ts'

const second = 1_000

/** A provider with a bug: it throws for one event name. */
const mistaken = aProvider('eventSink', {
  request: ({ event }) => ({
    url: 'https://eventSink.example/',
    json: { eventId: event.eventId, total: (event.data as { items: { price: number }[] }).items[0]!.price.toFixed(2) },
  }),
})
const good = { items: [{ price: 1 }] }
const hostile: Record<string, unknown> = {
  nothing: null,
  'a text': 'x',
  'an empty list': { items: [] },
  'a price that is a text': { items: [{ price: '1' }] },
  'a getter-like name': { items: [{ __proto__: null, price: { toFixed: 1 } }] },
}

test('events that a mapper throws for are tried three times, then dead (poison); all others go on', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]))
  harness.start({ providers: { eventSink: mistaken, facebook: aProvider('facebook') } })
  const names = Object.keys(hostile)
  for (const [at, name] of names.entries()) {
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: name, data: hostile[name] }))
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: `good-${at}`, data: good }))
  }
  // While they wait for their next try, events of the same batch and later ones are delivered, and they themselves are
  // delivered to the other channel.
  for (const at of names.keys()) await waitForStatus(harness, 'delivered 1', `good-${at}`)
  for (const name of names) await waitForStatus(harness, 'delivered 1', name, 1)
  const standings = () =>
    Promise.all(
      names.map(async (name) => {
        const { status, reason } = (await journeyOf(harness, name))!.deliveries[0]!
        return `${status} ${reason}`
      }),
    )
  const tries = () =>
    harness.lines.filter(({ message }) => message === 'an attempt failed with an internal error').length
  for (const [at, afterMs] of [5 * second, 30 * second, 0].entries()) {
    const now = at < 2 ? 'pending poison' : 'dead poison'
    const areTried = async () =>
      tries() === names.length * (at + 1) && (await standings()).every((each) => each === now)
    await until(`all are ${now} after ${at + 1} tries`, areTried)
    await harness.clock.turn(afterMs)
  }
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'after', data: good }))
  await waitForStatus(harness, 'delivered 1', 'after')
})

const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })
const bodyOf = (event: unknown) => Buffer.from(JSON.stringify(event))
const refusals = (event: unknown) => {
  const { events } = parseBody(bodyOf([event]), 1_795_132_800_000)
  return events.map((each) => (each.event ? 'taken' : each.issues[0]!.message))
}

test('depth 33 is refused at the door, alone in its body; depth 32 is taken', () => {
  const at = (levels: number) => refusals(anEvent(1_795_132_800_000, { data: nested(levels - 1) }))
  assert.deepEqual(at(32), ['taken'])
  assert.deepEqual(at(33), ['is nested deeper than 32 levels'])
})

test('half a surrogate pair is refused in an eventId; elsewhere it is delivered and blocks nothing', async () => {
  const half = 'x\ud800y'
  assert.deepEqual(refusals(anEvent(1_795_132_800_000, { eventId: half })), ['contains an unpaired surrogate'])
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), {
    request: ({ event }) => ({ url: 'https://eventSink.example/', json: { eventId: event.eventId, data: event.data } }),
  })
  harness.start()
  await acceptEvents(
    harness,
    anEvent(harness.clock.now(), { eventId: 'half', eventName: `Page${half}`, data: { [half]: half } }),
  )
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'after' }))
  await waitForStatus(harness, 'delivered 1', 'half')
  await waitForStatus(harness, 'delivered 1', 'after')
  assert.deepEqual(harness.sent.find(({ json }) => json.eventId === 'half')?.json.data, { [half]: half })
})
