import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRecentRecords } from '#event/recentRecords.ts'
import { openRecord, recordEvents } from '#event/record.ts'
import { event, openTestEdge, tagId, teamId } from './edge.fixture.ts'

const bodies: Record<string, unknown> = {
  'one event': event(),
  'an array of events': [event(), event({ eventId: 'evt-2', data: { caf\u00e9: ['\u{1f45f}', -0, 1e21] } })],
  'an event with a name of the prototype': JSON.parse('{"__proto__":{"a":1}}'),
}

for (const [what, more] of Object.entries(bodies))
  test(`what the worker takes of ${what} is what it would open from the stream`, async (t) => {
    const recentRecords = openRecentRecords()
    const edge = await openTestEdge(t, { deps: { recentRecords } })
    const body = Array.isArray(more) ? more : { ...event(), ...(more as object) }
    assert.equal((await edge.ask({ body })).status, 200)
    const { payload } = edge.appended[0]!
    const taken = recentRecords.take(payload, tagId)
    assert.deepEqual(recordEvents(taken!), recordEvents(openRecord(payload, tagId, teamId, edge.keys)))
  })

test('a body of which a part is rejected or replaced is opened from the stream', async (t) => {
  const recentRecords = openRecentRecords()
  const edge = await openTestEdge(t, { deps: { recentRecords } })
  await edge.ask({ body: [event(), {}] })
  await edge.ask({ body: `${JSON.stringify(event({ eventId: 'evt-2', name: 'half' })).slice(0, -1)},"x":"\\ud800"}` })
  assert.equal(edge.appended.length, 2)
  for (const { payload } of edge.appended) assert.equal(recentRecords.take(payload, tagId), undefined)
})
