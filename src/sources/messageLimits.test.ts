import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import { sourceNames } from '#contract/sourceNames.ts'
import { sourceAt } from './allSources.ts'
import type { SourceEvent } from './source.ts'

type Request = { path: string; body: unknown; query?: string; headers?: Record<string, string> }

function read({ path, body, query = '', headers = {} }: Request): SourceEvent[] {
  const source = sourceAt(path, sourceNames)!
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return source.read({
    payload: source.parse?.(bytes).payload,
    path,
    method: 'POST',
    headers,
    query: new URLSearchParams(query),
    body: bytes,
    trusted: false,
    brand: 'Service',
    receivedAt: Date.UTC(2026, 10, 20),
  })
}

const refusal = (request: Request): string => {
  try {
    return `${read(request).length} events`
  } catch (problem) {
    assert.ok(problem instanceof Fault, `${problem}`)
    return problem.code
  }
}

const snowplow = '/com.snowplowanalytics.snowplow/tp2'
const batchType = { 'content-type': 'application/cloudevents-batch+json' }
const manyOf = (count: number, value: unknown) => Array.from({ length: count }, () => value)
const keysOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]))

/** A request of each source with these messages. */
const requests: Readonly<Record<string, (messages: readonly unknown[]) => Request>> = {
  segment: (batch) => ({ path: '/v1/batch', body: { batch } }),
  'Measurement Protocol': (events) => ({ path: '/mp/collect', body: { events } }),
  snowplow: (data) => ({ path: snowplow, body: { data } }),
  shopify: (events) => ({ path: '/shopify/pixel', body: { events } }),
  cloudEvents: (events) => ({ path: '/cloudevents', body: events, headers: batchType }),
}

for (const [name, requestOf] of Object.entries(requests)) {
  test(`${name}: a request of more than 500 messages is refused before its messages are read`, () => {
    assert.equal(refusal(requestOf(manyOf(500, {}))), '500 events')
    assert.equal(refusal(requestOf(manyOf(501, {}))), 'BAD_REQUEST')
  })

  test(`${name}: a message with more keys, or nested deeper, than an event may be is rejected unread, and the others are read`, () => {
    const deep = JSON.parse(`${'{"address":'.repeat(33)}{}${'}'.repeat(33)}`)
    const events = read(requestOf([{ type: 'x' }, keysOf(5_001), deep, { type: 'x' }]))
    assert.deepEqual(
      events.map(({ event }) => 'timestamp' in event),
      [true, false, false, true],
    )
    assert.match(`${events[1]!.issues?.[0]?.message}`, /has 5001 keys/)
    assert.match(`${events[2]!.issues?.[0]?.message}`, /nested deeper/)
  })
}

test('a hit of gtag with more than 5,000 parameters is rejected unread', () => {
  const [large, small] = read({ path: '/g/collect', body: `${'&a'.repeat(5_000)}\nen=x` })
  assert.deepEqual(large!.issues, [{ path: '', message: 'has more than 5000 parameters' }])
  assert.equal(small!.event.eventName, 'x')
})

test('what the messages of a request share is refused where its copies are larger than 256 KiB', () => {
  const text = 'x'.repeat(1_000)
  const sharing: readonly ((count: number) => Request)[] = [
    (count) => ({ path: '/v1/batch', body: { context: { traits: { text } }, batch: manyOf(count, {}) } }),
    (count) => ({ path: '/mp/collect', body: { user_properties: { text }, events: manyOf(count, {}) } }),
    (count) => ({ path: '/g/collect', query: `ep.text=${text}`, body: 'en=x\n'.repeat(count) }),
  ]
  for (const requestOf of sharing) {
    assert.equal(refusal(requestOf(200)), '200 events')
    assert.equal(refusal(requestOf(300)), 'BODY_TOO_LARGE')
  }
})

test('what the messages of a request share may have no more keys than an event', () => {
  const shared = keysOf(5_001)
  assert.equal(refusal({ path: '/v1/batch', body: { context: { traits: shared }, batch: [{}] } }), 'BAD_REQUEST')
  assert.equal(refusal({ path: '/mp/collect', body: { user_properties: shared, events: [{}] } }), 'BAD_REQUEST')
})

test('the items of a legacy transaction are in its first event only, so that their number does not multiply', () => {
  const item = { e: 'ti', ti_id: 'A-1', ti_sk: 'sku-1' }
  const transaction = { e: 'tr', tr_id: 'A-1' }
  const events = read({ path: snowplow, body: { data: [...manyOf(200, item), ...manyOf(200, transaction)] } })
  const contents = events.flatMap(({ event }) => (event.data as { contents?: unknown[] }).contents ?? [])
  assert.equal(contents.length, 200)
})

test('an item and a transaction without an id do not belong together', () => {
  const [, transaction] = read({ path: snowplow, body: { data: [{ e: 'ti', ti_sk: 's' }, { e: 'tr' }] } })
  assert.deepEqual(transaction!.event.data, {})
})

test('entities of a Snowplow payload with more keys than an event may have are left out with a note', () => {
  const entities = manyOf(2_501, { schema: 'iglu:a/b/jsonschema/1-0-0', data: {} })
  const [payload] = read({ path: snowplow, body: { data: [{ e: 'pv', co: JSON.stringify({ data: entities }) }] } })
  assert.deepEqual(payload!.event.data, {})
  assert.match(JSON.stringify(payload!.event.source), /its field co is nested deeper or has more keys/)
})
