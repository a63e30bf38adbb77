import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { TagEvent } from '#contract/event.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import eventSink from './eventSink.ts'

const now = 1_700_000_000_000
const event: TagEvent = {
  eventName: 'user',
  eventId: 'evt_1',
  timestamp: now,
  data: { email: 'Ada@Example.com', tier: 'gold' },
}
const built = (secrets: Record<string, string> = {}, at = now) =>
  buildRequests('eventSink', eventSink, {
    event,
    kind: 'user',
    identity: identityOf({ email: 'Ada@Example.com', userId: 'usr_1' }),
    custom: { tier: 'gold' },
    captured: {},
    purchaseValueMode: 'gross',
    secrets: { EVENT_SINK_URL: 'https://events.example/in', ...secrets },
    now: at,
  })

test('an update of a person is sent with the action `user` and all known values', () => {
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

test('with a list of events only those are sent', () => {
  assert.deepEqual(built({ EVENT_SINK_EVENTS: 'Purchase' }), { skipped: 'filtered' })
  assert.ok('requests' in built({ EVENT_SINK_EVENTS: 'Purchase, user' }))
})

test('with a signing secret a receiver of Standard Webhooks verifies the request and rejects a changed body', () => {
  const key = randomBytes(24)
  const secret = `whsec_${key.toString('base64')}`
  const sent = built({ EVENT_SINK_SECRET: secret }, Date.now())
  assert.ok('requests' in sent)
  const { headers, body = '' } = sent.requests[0]!
  const receiver = new Webhook(secret)
  assert.deepEqual(receiver.verify(body, headers), JSON.parse(body))
  assert.throws(() => receiver.verify(body.replace('gold', 'iron'), headers))
  assert.throws(() => new Webhook(randomBytes(24).toString('base64')).verify(body, headers))
  // Standard Webhooks: v1, the HMAC of id.timestamp.body, the time in seconds
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers
  assert.equal(id, 'evt_1')
  assert.ok(Math.abs(Number(at) - Date.now() / 1_000) < 60)
  assert.equal(signature, `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`)
})
