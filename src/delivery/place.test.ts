import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import { accept, ends, journeyOf, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { placeOf } from './place.ts'

const places: Record<string, { country: string; region?: string }> = {
  '203.0.113.1': { country: 'DE' },
  '203.0.113.2': { country: 'US', region: 'US-CA' },
}
const locate = (ip: string) => places[ip] ?? {}
const context = (more: Partial<EventContext>): EventContext => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_1',
  presented: true,
  trusted: false,
  receivedAt: 0,
  ...more,
})
const french = { country: 'FR' }
const place = (payload: Record<string, unknown>, from: Partial<EventContext>, last?: { country: string }) =>
  placeOf(anEvent(0, payload), context(from), last, locate)

test('a browser is where its request comes from, whatever its event says', () => {
  const from = { origin: 'https://shop.example', ip: '203.0.113.1' }
  assert.deepEqual(place({ ip: '203.0.113.2' }, from, french), { country: 'DE', source: 'request' })
  assert.deepEqual(place({}, { ...from, ip: '127.0.0.1' }, french), { source: 'unknown' })
})

test('a CDN that is trusted knows better than the file, which may know the part of the same country', () => {
  const from = { origin: 'https://shop.example', ip: '203.0.113.2' }
  const told = (country: string, region?: string) =>
    place({}, { ...from, place: { country, ...(region && { region }) } }, french)
  assert.deepEqual(told('US', 'US-NY'), { country: 'US', region: 'US-NY', source: 'request' })
  assert.deepEqual(told('US'), { country: 'US', region: 'US-CA', source: 'request' })
  assert.deepEqual(told('DE'), { country: 'DE', source: 'request' })
  const server = { ip: '203.0.113.2', place: { country: 'DE' } }
  assert.deepEqual(place({}, server, french), { country: 'FR', source: 'user' })
})

test('a trusted server tells where it was by the ip in the payload', () => {
  const from = { trusted: true, ip: '203.0.113.1' }
  assert.deepEqual(place({ ip: '203.0.113.2' }, from, french), { country: 'US', region: 'US-CA', source: 'payload' })
})

test("without a believed ip it was where the user's browser was last, else nobody knows where", () => {
  assert.deepEqual(place({ ip: '203.0.113.2' }, { ip: '203.0.113.1' }, french), { country: 'FR', source: 'user' })
  assert.deepEqual(place({}, { trusted: true, ip: '203.0.113.1' }, french), { country: 'FR', source: 'user' })
  assert.deepEqual(place({ ip: 'nonsense' }, { trusted: true }), { source: 'unknown' })
})

test('an offline purchase happened where the browser was last that is known by its e-mail, unless it names somebody', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.start()
  let made = 0
  const placeFrom = async (from: Partial<EventContext>) => {
    const eventId = `event-${++made}`
    await accept(on, anEvent(on.clock.now() + made, { eventId, userEmail: 'jane@example.com' }), from)
    await ends(on, 'delivered 1', eventId)
    return (await journeyOf(on, eventId))!.place
  }
  const browser = { userId: 'usr_browser', origin: 'https://shop.example', ip: '203.0.113.1' }
  assert.deepEqual(await placeFrom(browser), { country: 'DE', source: 'request' })
  const server = { userId: 'usr_fresh', presented: false }
  assert.deepEqual(await placeFrom(server), { country: 'DE', source: 'user' })
  assert.deepEqual(await placeFrom({ userId: 'usr_eve' }), { source: 'unknown' })
})
