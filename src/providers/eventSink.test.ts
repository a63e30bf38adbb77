import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { TagEvent } from '#contract/event.ts'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { type BuildInput, buildRequests } from '#provider/engine/buildRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import { secretValues } from '#provider/engine/secretValues.ts'
import eventSink from './eventSink.ts'

const now = 1_700_000_000_000
const event: TagEvent = {
  eventName: 'user',
  eventId: 'evt_1',
  timestamp: now,
  data: { email: 'Ada@Example.com', tier: 'gold' },
}
const inputOf = (secrets: Record<string, string> = {}, at = now): BuildInput => ({
  event,
  kind: 'user',
  identity: identityOf({ email: 'Ada@Example.com', userId: 'usr_1' }),
  custom: { tier: 'gold' },
  captured: {},
  purchaseValueMode: 'gross',
  secrets: { EVENT_SINK_URL: 'https://events.example/in', ...secrets },
  now: at,
})
const built = (secrets: Record<string, string> = {}, at = now) =>
  buildRequests('eventSink', eventSink, inputOf(secrets, at))

/** The requests for events with these ids. */
const batchesOf = (ids: readonly string[], secrets: Record<string, string>) =>
  buildBatches(
    'eventSink',
    eventSink,
    ids.map((eventId) => ({ ...inputOf(secrets, Date.now()), event: { ...event, eventId } })),
  ).batches
const idsIn = (messages: unknown): string[] =>
  (messages as { payload: TagEvent }[]).map(({ payload }) => payload.eventId)

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

test('as an array several events are one request, signed as a whole with one id for the same events', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const secrets = { EVENT_SINK_FORMAT: 'array', EVENT_SINK_SECRET: secret }
  const [batch, ...others] = batchesOf(['a', 'b', 'c'], secrets)
  assert.deepEqual([others.length, batch!.eventIndexes], [0, [0, 1, 2]])
  const { headers, body = '' } = batch!.request
  assert.deepEqual(idsIn(new Webhook(secret).verify(body, headers)), ['a', 'b', 'c'])
  const idOf = (ids: string[]) => batchesOf(ids, secrets)[0]!.request.headers['webhook-id']
  assert.equal(idOf(['a', 'b', 'c']), headers['webhook-id'])
  assert.notEqual(idOf(['a', 'b']), headers['webhook-id'])
  assert.equal(idOf(['a']), 'a')
})

test('as ndjson each event is a line, and with compression the body is sent as gzip', () => {
  const [batch] = batchesOf(['a', 'b'], { EVENT_SINK_FORMAT: 'ndjson', EVENT_SINK_GZIP: '1' })
  const { headers, body = '', gzip } = batch!.request
  const lines = body.split('\n')
  assert.deepEqual([lines.length, lines.at(-1)], [3, ''])
  assert.deepEqual(idsIn(lines.slice(0, 2).map((line) => JSON.parse(line))), ['a', 'b'])
  assert.deepEqual([headers['content-type'], headers['content-encoding'], gzip], ['application/x-ndjson', 'gzip', true])
})

test('without a format each event has a request of its own', () => {
  const batches = batchesOf(['a', 'b'], {})
  assert.deepEqual(
    batches.map(({ request, eventIndexes }) => [JSON.parse(request.body!).payload.eventId, eventIndexes]),
    [
      ['a', [0]],
      ['b', [1]],
    ],
  )
})

test('the size and the wait of a list are those of the script, and are ignored for single objects', () => {
  const limitsOf = (secrets: Record<string, string>) =>
    eventSink.batch!.limitsOf!(
      secretValues('eventSink', eventSink, { EVENT_SINK_URL: 'https://a.example/', ...secrets }),
    )
  const size = { EVENT_SINK_BATCH_SIZE: '20', EVENT_SINK_BATCH_SECONDS: '5' }
  assert.deepEqual(limitsOf({ EVENT_SINK_FORMAT: 'array', ...size }), { maxEvents: 20, waitMs: 5_000 })
  assert.deepEqual(limitsOf({ EVENT_SINK_FORMAT: 'ndjson' }), { maxEvents: 100, waitMs: 1_000 })
  assert.deepEqual(limitsOf(size), { maxEvents: 1, waitMs: 0 })
})

test('a size above 500, a wait above a minute and an unknown format are refused', () => {
  const isValid = (variable: string, value: string) => eventSink.secrets[variable]!.check!(value) === undefined
  for (const value of ['1', '99', '500']) assert.ok(isValid('EVENT_SINK_BATCH_SIZE', value), value)
  for (const value of ['0', '501', '1e2', '-1', ' 5']) assert.ok(!isValid('EVENT_SINK_BATCH_SIZE', value), value)
  for (const value of ['0', '60']) assert.ok(isValid('EVENT_SINK_BATCH_SECONDS', value), value)
  for (const value of ['61', '0.5']) assert.ok(!isValid('EVENT_SINK_BATCH_SECONDS', value), value)
  assert.ok(!isValid('EVENT_SINK_FORMAT', 'csv'))
})
