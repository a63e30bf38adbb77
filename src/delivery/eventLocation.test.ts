import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import { acceptEvents, journeyOf, openDeliveryHarness, waitForStatus } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { eventLocation } from './eventLocation.ts'

const places: Record<string, { country: string; region?: string }> = {
  '203.0.113.1': { country: 'DE' },
  '203.0.113.2': { country: 'US', region: 'US-CA' },
}
const locate = (ip: string) => places[ip] ?? {}
const context = (more: Partial<EventContext>): EventContext => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_1',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: 0,
  ...more,
})
const french = { country: 'FR' }
const place = (payload: Record<string, unknown>, from: Partial<EventContext>, last?: { country: string }) =>
  eventLocation(anEvent(0, payload), context(from), last, locate)

test("a browser's event has the location of its request, whatever the event says", () => {
  const from = { origin: 'https://shop.example', ip: '203.0.113.1' }
  assert.deepEqual(place({ ip: '203.0.113.2' }, from, french), { country: 'DE', source: 'request' })
  assert.deepEqual(place({}, { ...from, ip: '127.0.0.1' }, french), { source: 'unknown' })
})

test('the location of a trusted CDN takes precedence over the database, which adds the region of the same country', () => {
  const from = { origin: 'https://shop.example', ip: '203.0.113.2' }
  const locationWithCdn = (country: string, region?: string) =>
    place({}, { ...from, place: { country, ...(region && { region }) } }, french)
  assert.deepEqual(locationWithCdn('US', 'US-NY'), { country: 'US', region: 'US-NY', source: 'request' })
  assert.deepEqual(locationWithCdn('US'), { country: 'US', region: 'US-CA', source: 'request' })
  assert.deepEqual(locationWithCdn('DE'), { country: 'DE', source: 'request' })
  const server = { ip: '203.0.113.2', place: { country: 'DE' } }
  assert.deepEqual(place({}, server, french), { country: 'FR', source: 'user' })
})

test("a trusted server's event has the location of the ip in its payload", () => {
  const from = { trusted: true, ip: '203.0.113.1' }
  assert.deepEqual(place({ ip: '203.0.113.2' }, from, french), { country: 'US', region: 'US-CA', source: 'payload' })
})

test("an event without a trusted ip has the last location of the user's browser, else none", () => {
  assert.deepEqual(place({ ip: '203.0.113.2' }, { ip: '203.0.113.1' }, french), { country: 'FR', source: 'user' })
  assert.deepEqual(place({}, { trusted: true, ip: '203.0.113.1' }, french), { country: 'FR', source: 'user' })
  assert.deepEqual(place({ ip: 'nonsense' }, { trusted: true }), { source: 'unknown' })
})

test('an offline purchase without a user id has the last location of the browser user with its e-mail', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.start()
  let eventCount = 0
  const placeFrom = async (from: Partial<EventContext>) => {
    const eventId = `event-${++eventCount}`
    await acceptEvents(
      harness,
      anEvent(harness.clock.now() + eventCount, { eventId, userEmail: 'jane@example.com' }),
      from,
    )
    await waitForStatus(harness, 'delivered 1', eventId)
    return (await journeyOf(harness, eventId))!.place
  }
  const browser = { userId: 'usr_browser', origin: 'https://shop.example', ip: '203.0.113.1' }
  assert.deepEqual(await placeFrom(browser), { country: 'DE', source: 'request' })
  const server = { userId: 'usr_fresh', hasExplicitUserId: false }
  assert.deepEqual(await placeFrom(server), { country: 'DE', source: 'user' })
  assert.deepEqual(await placeFrom({ userId: 'usr_eve' }), { source: 'unknown' })
})
