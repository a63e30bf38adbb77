import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TagEvent } from '#contract/event.ts'
import { buildRequests } from '#provider/build.ts'
import { identityOf } from '#provider/identity.ts'
import eventSink from './eventSink.ts'

const now = 1_700_000_000_000
const event: TagEvent = {
  eventName: 'user',
  eventId: 'evt_1',
  timestamp: now,
  data: { email: 'Ada@Example.com', tier: 'gold' },
}
const built = (secrets: Record<string, string> = {}) =>
  buildRequests('eventSink', eventSink, {
    event,
    kind: 'user',
    identity: identityOf({ email: 'Ada@Example.com', userId: 'usr_1' }),
    custom: { tier: 'gold' },
    captured: {},
    purchaseValueMode: 'gross',
    secrets: { EVENT_SINK_URL: 'https://events.example/in', ...secrets },
    now,
  })

test('what became known of a person goes there as `user`, with all that is known of it', () => {
  const sent = built()
  assert.ok('requests' in sent)
  assert.deepEqual(JSON.parse(sent.requests[0]!.body!), {
    action: 'user',
    payload: event,
    user: { userId: 'usr_1', email: 'Ada@Example.com' },
    query: {},
    customData: { tier: 'gold' },
  })
})

test('with a list of events it goes only where the list names it', () => {
  assert.deepEqual(built({ EVENT_SINK_EVENTS: 'Purchase' }), { skipped: 'filtered' })
  assert.ok('requests' in built({ EVENT_SINK_EVENTS: 'Purchase, user' }))
})
