import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { cases } from '../../test/fake/cases.ts'
import { isTimestampAccepted, parseBody, parseObject } from './parseBody.ts'

const now = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
const day = 24 * 60 * minute
const event = (more: object = {}) => ({ eventName: 'AddToCart', eventId: 'e-1', timestamp: now, ...more })
const read = (body: unknown) => parseBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), now)

function faultOf(body: unknown): Fault {
  try {
    Buffer.isBuffer(body) ? parseBody(body, now) : read(body)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  return assert.fail('the body was accepted')
}
const issuesOf = (body: unknown) => faultOf(body).attributes?.issues as Issue[] | undefined
const paths = (body: unknown) => issuesOf(body)?.map(({ path }) => path)

describe('a single event', () => {
  test('is accepted unchanged, with unknown fields and __proto__ keys', () => {
    const sent = '{"eventName":"x","eventId":"é","timestamp":1795176000000,"more":{"__proto__":{"a":[1]}},"n":null}'
    const { isArray, events } = read(sent)
    assert.equal(isArray, false)
    assert.equal(JSON.stringify(events[0]?.event), sent)
    assert.equal(({} as { a?: unknown }).a, undefined)
  })

  test('without eventName, eventId or timestamp is 400 with an issue for each', () => {
    assert.deepEqual(issuesOf({}), [
      { path: 'eventName', message: 'is required' },
      { path: 'eventId', message: 'is required' },
      { path: 'timestamp', message: 'is required' },
    ])
    for (const name of ['eventName', 'eventId', 'timestamp'])
      for (const value of [null, [], {}, true, '']) assert.deepEqual(paths(event({ [name]: value })), [name])
    for (const name of ['eventName', 'eventId']) assert.deepEqual(paths(event({ [name]: 1 })), [name])
    assert.deepEqual(paths(event({ timestamp: `${now}` })), ['timestamp'])
    assert.deepEqual(paths(event({ eventId: 'x'.repeat(501) })), ['eventId'])
  })

  test('with a wrong type in data, providers or storage is 400', () => {
    for (const name of ['data', 'providers', 'storage'])
      for (const value of [1, 'x', true]) assert.deepEqual(paths(event({ [name]: value })), [name])
    assert.deepEqual(paths(event({ data: [] })), ['data'])
    assert.deepEqual(paths(event({ storage: [] })), ['storage'])
    assert.deepEqual(paths(event({ providers: [1] })), ['providers.0'])
  })

  test('with a wrong type in any other field is accepted', () => {
    const odd = { pageUrl: 7, userEmail: {}, userAgent: [], data: { value: 'a lot', contents: 1 }, search: null }
    assert.deepEqual(read(event(odd)).events[0]?.event, event(odd))
    assert.ok(read(event({ data: null, providers: null, storage: null })).events[0]?.event)
  })

  test('is accepted with a timestamp from 7 days back to 10 minutes ahead', () => {
    for (const timestamp of [now - 7 * day, now, now + 10 * minute, now - 0.5])
      assert.ok(read(event({ timestamp })).events[0]?.event, `${timestamp}`)
    const issuesAt = (timestamp: number) => issuesOf(event({ timestamp }))
    assert.deepEqual(issuesAt(now - 7 * day - 1), [{ path: 'timestamp', message: 'is more than 7 days in the past' }])
    assert.deepEqual(issuesAt(now + 10 * minute + 1), [
      { path: 'timestamp', message: 'is more than 10 minutes in the future' },
    ])
    assert.deepEqual(issuesAt(now / 1000), [{ path: 'timestamp', message: 'is in seconds: send epoch milliseconds' }])
    assert.deepEqual(issuesAt(0), [{ path: 'timestamp', message: 'is more than 7 days in the past' }])
    assert.deepEqual(paths(`{"eventName":"x","eventId":"y","timestamp":1e999}`), ['timestamp'])
  })

  test('with half a surrogate pair in its eventId is 400, because two such ids have the same UTF-8', () => {
    assert.deepEqual(paths('{"eventName":"x","eventId":"\\ud800","timestamp":1795176000000}'), ['eventId'])
  })

  test('of more than 64 KiB is 413', () => {
    const full = event({ filler: '' })
    const room = 64 * 1024 - JSON.stringify(full).length
    assert.ok(read(event({ filler: 'x'.repeat(room) })).events[0]?.event)
    assert.equal(faultOf(event({ filler: 'x'.repeat(room + 1) })).fault, 'bodyTooLarge')
  })

  test('that is too deep is 400 before any other check', () => {
    const deep = `{"eventName":"x","eventId":"y","timestamp":1,"data":${'['.repeat(32)}${']'.repeat(32)}}`
    assert.deepEqual(issuesOf(deep), [{ path: '', message: 'is nested deeper than 32 levels' }])
  })
})

describe('a body', () => {
  test('that is empty, broken or not UTF-8 is 400, and the response does not quote it', () => {
    for (const broken of ['', ' ', '{', '{"userEmail":"jane@example.com"', "{'a':1}", '\ufeff{}', 'undefined']) {
      const { fault, message } = faultOf(broken)
      assert.equal(fault, 'jsonBroken')
      assert.ok(!message.includes('jane'))
    }
    assert.equal(faultOf(Buffer.from('{"eventName":"caf\xe9"}', 'latin1')).fault, 'jsonBroken')
  })

  test('that is not an object is 400', () => {
    for (const body of ['1', '"x"', 'null', 'true']) assert.deepEqual(paths(body), [''])
  })

  test('of a mebibyte of brackets is 400 without being parsed', () => {
    assert.deepEqual(issuesOf('['.repeat(1_000_000)), [{ path: '', message: 'is nested deeper than 32 levels' }])
  })

  test('is 400 when its array is empty or has more than 500 events', () => {
    assert.deepEqual(issuesOf([]), [{ path: '', message: 'must contain at least one event' }])
    assert.equal(read(Array(500).fill(event())).events.length, 500)
    assert.deepEqual(issuesOf(Array(501).fill(event())), [{ path: '', message: 'has 501 events; the limit is 500' }])
  })

  test('that is an array has each invalid event rejected by itself, with its eventId', () => {
    const { isArray, events } = read([event(), event({ eventId: 'old', timestamp: 0 }), null, event({ eventId: 5 })])
    assert.equal(isArray, true)
    assert.deepEqual(
      events.map((each) => (each.event ? 'accepted' : [each.eventId, each.issues.map(({ path }) => path)])),
      ['accepted', ['old', ['timestamp']], ['', ['']], ['', ['eventId']]],
    )
  })

  test('that is an array has an event of more than 64 KiB rejected by itself', () => {
    const { events } = read([event(), event({ eventId: 'big', filler: 'x'.repeat(64 * 1024) })])
    const [small, big] = events
    assert.ok(small?.event)
    assert.deepEqual(!big?.event && big?.issues, [
      { path: '', message: 'is larger than 64 KiB, the limit of an event' },
    ])
  })

  test('of any bytes is accepted or refused with a fault', () => {
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(event({ data: value }))),
    )
    fc.assert(
      fc.property(fc.oneof(texts.map(Buffer.from), fc.uint8Array().map(Buffer.from)), (body) => {
        try {
          for (const each of parseBody(body, now).events) assert.ok(each.event || each.issues.length > 0)
        } catch (error) {
          assert.ok(error instanceof Fault && error.status < 500)
        }
      }),
      { numRuns: cases(2_000) },
    )
  })
})

test('the body of a user update is one object within the limits of an event', () => {
  assert.deepEqual(parseObject(Buffer.from('{"data":{"a":1}}')), { data: { a: 1 } })
  const faultOf = (text: string) => {
    try {
      parseObject(Buffer.from(text))
    } catch (error) {
      return (error as Fault).fault
    }
    return undefined
  }
  assert.deepEqual(['', '{', '[]', '7', 'null', '"a"'].map(faultOf), [
    'jsonBroken',
    'jsonBroken',
    'badRequest',
    'badRequest',
    'badRequest',
    'badRequest',
  ])
  assert.equal(faultOf(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`), 'badRequest')
  assert.equal(faultOf(`{"a":"${'x'.repeat(65_536)}"}`), 'bodyTooLarge')
})

test('a timestamp is accepted from seven days ago to ten minutes ahead, in milliseconds', () => {
  const now = Date.UTC(2026, 10, 20)
  const day = 86_400_000
  assert.deepEqual(
    [now, now - 7 * day, now + 600_000].map((at) => isTimestampAccepted(at, now)),
    [true, true, true],
  )
  for (const at of [now - 7 * day - 1, now + 600_001, now / 1000, `${now}`, null, undefined, Number.NaN])
    assert.equal(isTimestampAccepted(at, now), false)
})
